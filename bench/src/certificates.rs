//! The rows about votes and certificates.

use std::hint::black_box;
use std::sync::Arc;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use quorate::bls::{MinPk, MinSig};
use quorate::certificate::Certificate;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::members::{Collection, Members, collect};
use crate::row::Row;
use crate::sampling::{Case, SamplePlan, medians};

/// A message of the length of signed statements.
const MESSAGE: [u8; 96] = [7; 96];
/// Number of certificates in the batch rows.
const BATCH: u8 = 16;

/// Measures all rows.
pub(crate) fn measure(quick: bool) -> Result<Vec<Row>> {
    let care = SamplePlan::new(quick);
    let mut rows = verification(care)?;
    rows.extend(collection(care)?);
    rows.extend(batches(care)?);
    rows.extend(sizes()?);
    Ok(rows)
}

/// One certificate, compared with one signature.
fn verification(care: SamplePlan) -> Result<Vec<Row>> {
    fn sample<S: Scheme>(n: usize, absent: usize) -> Result<(Committee<S>, Certificate<S>)> {
        let members = Members::<S>::with_absent(n, absent)?;
        let certificate = members.certificate(n - absent, 0)?;
        Ok((members.committee.as_ref().clone(), certificate))
    }
    let [a, b, c] = [sample::<MinSig>(100, 1)?, sample(1000, 10)?, sample(1000, 333)?];
    let (large, min_pk) = (sample::<MinSig>(10_000, 3_333)?, sample::<MinPk>(10_000, 3_333)?);
    let c_summed = c.0.clone().with_group_sums();
    let large_summed = large.0.clone().with_group_sums();
    let min_pk_summed = min_pk.0.clone().with_group_sums();
    let (plain, plain_min_pk) = (PlainMinSig::new(), PlainMinPk::new());
    let single = SingleEd::new();
    let mut cases = [
        Case::new(|| plain.verify()),
        Case::new(|| single.verify()),
        Case::new(|| a.1.check(&a.0)),
        Case::new(|| b.1.check(&b.0)),
        Case::new(|| c.1.check(&c.0)),
        Case::new(|| c.1.check(&c_summed)),
        Case::new(|| large.1.check(&large.0)),
        Case::new(|| large.1.check(&large_summed)),
        Case::new(|| plain_min_pk.verify()),
        Case::new(|| min_pk.1.check(&min_pk.0)),
        Case::new(|| min_pk.1.check(&min_pk_summed)),
    ];
    let [bls, ed, n100, n1000, third, third_summed, large, large_summed, bls_min_pk, pk, pk_summed] =
        exactly(medians(&mut cases, care));
    let against = |name, time: f64, plain: f64| Row::new(name, time / plain, "×").note(micros(time));
    Ok(vec![
        Row::new("one ed25519-dalek verify_strict (ed)", ed / 1000.0, "µs"),
        Row::new("one plain blst MinSig verify", bls / ed, "ed").note(micros(bls)),
        against("verify a certificate, n = 1000, 333 absent / plain blst", third, bls).at_most(1.35),
        against("the same with sums of groups (6 MB)", third_summed, bls).at_most(1.05),
        // Among equal weights a third is absent. Fewer are absent only if the weights differ.
        against("with a member of weight n: n = 100, 1 absent / plain blst", n100, bls).at_most(1.03),
        against("with a member of weight n: n = 1000, 10 absent / plain blst", n1000, bls).at_most(1.05),
        against("verify a certificate, n = 10,000, 3,333 absent / plain blst", large, bls),
        against("the same with sums of groups (61 MB)", large_summed, bls).at_most(1.3),
        against("MinPk: verify a certificate, n = 10,000, 3,333 absent / plain blst", pk, bls_min_pk),
        against("MinPk: the same with sums of groups (31 MB)", pk_summed, bls_min_pk).at_most(1.3),
    ])
}

/// From votes received over links to a verified certificate.
fn collection(care: SamplePlan) -> Result<Vec<Row>> {
    let (hundred, thousand) = (Members::<MinSig>::equal(100)?, Members::<MinSig>::equal(1000)?);
    let eddsa = Members::<Ed25519>::equal(100)?;
    let votes =
        [hundred.link_votes(67)?, hundred.link_votes_with_one_bad(67, 30)?, thousand.link_votes(667)?];
    let [good, bad, many] = &votes;
    let eddsa_votes = eddsa.link_votes(67)?;
    let thousand_summed = Arc::new(thousand.committee.as_ref().clone().with_group_sums());
    complete(collect(&hundred.committee, good)?)?;
    complete(collect(&thousand.committee, many)?)?;
    complete(collect(&thousand_summed, many)?)?;
    complete(collect(&eddsa.committee, &eddsa_votes)?)?;
    let failed = collect(&hundred.committee, bad)?;
    if failed.certificate.is_some() || failed.culprits != [30] {
        return Err(Error::BadSignature { signers: failed.culprits });
    }
    let single = SingleEd::new();
    let dalek = DalekBatch::new(67);
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| dalek.verify()),
        Case::new(|| collect(&hundred.committee, good)),
        Case::new(|| collect(&thousand.committee, many)),
        Case::new(|| collect(&thousand_summed, many)),
        Case::new(|| collect(&hundred.committee, bad)),
        Case::new(|| collect(&eddsa.committee, &eddsa_votes)),
    ];
    let [ed, dalek, sixty_seven, many, many_summed, one_bad, eddsa] = exactly(medians(&mut cases, care));
    let in_ed = |name, time: f64| Row::new(name, time / ed, "ed").note(micros(time));
    Ok(vec![
        in_ed("67 votes → verified certificate, BLS MinSig", sixty_seven).at_most(33.0),
        in_ed("ed25519-dalek verify_batch of 67", dalek),
        in_ed("67 votes → verified certificate, Ed25519", eddsa),
        in_ed("667 votes → verified certificate, BLS MinSig", many).at_most(60.0),
        in_ed("the same with sums of groups, 667 votes (6 MB)", many_summed).at_most(32.0),
        in_ed("67 votes, 1 invalid, culprit identified, BLS MinSig", one_bad).at_most(60.0),
    ])
}

/// Many certificates of one signer set.
fn batches(care: SamplePlan) -> Result<Vec<Row>> {
    fn sixteen<S: Scheme>() -> Result<(Members<S>, Vec<Certificate<S>>)> {
        let members = Members::<S>::equal(100)?;
        let certificates =
            (0..BATCH).map(|number| members.certificate(members.quorum(), number)).collect::<Result<_>>()?;
        Ok((members, certificates))
    }
    let (min_sig, min_sig_all) = sixteen::<MinSig>()?;
    let (min_pk, min_pk_all) = sixteen::<MinPk>()?;
    let mut rng = StdRng::seed_from_u64(1);
    let mut other_rng = StdRng::seed_from_u64(2);
    if Certificate::verify_batch(&min_sig.committee, min_sig_all.clone(), &mut rng).iter().any(Result::is_err)
    {
        return Err(Error::BadSignature { signers: Vec::new() });
    }
    let single = SingleEd::new();
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| Certificate::verify_batch(&min_sig.committee, min_sig_all.clone(), &mut rng)),
        Case::new(|| Certificate::verify_batch(&min_pk.committee, min_pk_all.clone(), &mut other_rng)),
    ];
    let [ed, min_sig, min_pk] = exactly(medians(&mut cases, care));
    let each = |name, time: f64| {
        let each = time / f64::from(BATCH);
        Row::new(name, each / ed, "ed").note(micros(each))
    };
    Ok(vec![
        each("16 certificates of one signer set, each, BLS MinSig", min_sig).at_most(6.5),
        each("16 certificates of one signer set, each, BLS MinPk", min_pk),
    ])
}

/// Size of certificates with the maximum number of absent members, which are the longest.
fn sizes() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (n, limit) in [(40, 104.0), (100, 112.0), (1000, 224.0)] {
        let members = Members::<MinSig>::equal(n)?;
        let bytes = members.certificate(members.quorum(), 0)?.encode().len();
        rows.push(
            Row::new(format!("certificate, n = {n}, a third absent"), bytes as f64, "B").at_most(limit),
        );
    }
    let members = Members::<Ed25519>::equal(40)?;
    let bytes = members.certificate(members.quorum(), 0)?.encode().len();
    rows.push(Row::new("the same with Ed25519, n = 40", bytes as f64, "B"));
    Ok(rows)
}

fn complete<S: Scheme>(collection: Collection<S>) -> Result<()> {
    if collection.certificate.is_some() && collection.culprits.is_empty() {
        Ok(())
    } else {
        Err(Error::BadSignature { signers: collection.culprits })
    }
}

macro_rules! plain_verification {
    ($name:ident, $module:ident, $tag:literal) => {
        /// The library's own verification of one signature, subgroup check included.
        struct $name {
            key: blst::$module::PublicKey,
            signature: blst::$module::Signature,
        }

        impl $name {
            fn new() -> Self {
                let secret = blst::$module::SecretKey::key_gen(&[1; 32], &[]).unwrap_or_default();
                Self { key: secret.sk_to_pk(), signature: secret.sign(&MESSAGE, $tag, &[]) }
            }

            fn verify(&self) -> bool {
                let result = self.signature.verify(true, &MESSAGE, $tag, &[], &self.key, false);
                assert_eq!(result, blst::BLST_ERROR::BLST_SUCCESS);
                true
            }
        }
    };
}

plain_verification!(PlainMinSig, min_sig, b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_");
plain_verification!(PlainMinPk, min_pk, b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_");

/// The unit of this report.
pub(crate) struct SingleEd {
    message: Vec<u8>,
    secret: SigningKey,
    key: VerifyingKey,
    signature: ed25519_dalek::Signature,
}

impl SingleEd {
    pub(crate) fn new() -> Self {
        Self::new_for(MESSAGE.to_vec())
    }

    pub(crate) fn new_for(message: Vec<u8>) -> Self {
        let secret = SigningKey::from_bytes(&[1; 32]);
        Self { key: secret.verifying_key(), signature: secret.sign(&message), secret, message }
    }

    pub(crate) fn sign(&self) -> ed25519_dalek::Signature {
        self.secret.sign(black_box(&self.message))
    }

    pub(crate) fn verify(&self) -> bool {
        let good = self.key.verify_strict(black_box(&self.message), &self.signature).is_ok();
        assert!(good, "our own signature does not verify");
        good
    }
}

/// The library's own batch.
pub(crate) struct DalekBatch {
    keys: Vec<VerifyingKey>,
    signatures: Vec<ed25519_dalek::Signature>,
}

impl DalekBatch {
    pub(crate) fn new(n: u8) -> Self {
        let secrets: Vec<_> = (0..n).map(|i| SigningKey::from_bytes(&[i + 1; 32])).collect();
        Self {
            keys: secrets.iter().map(SigningKey::verifying_key).collect(),
            signatures: secrets.iter().map(|secret| secret.sign(&MESSAGE)).collect(),
        }
    }

    pub(crate) fn verify(&self) -> bool {
        let messages: Vec<&[u8]> = self.keys.iter().map(|_| MESSAGE.as_slice()).collect();
        let good = ed25519_dalek::verify_batch(&messages, &self.signatures, &self.keys).is_ok();
        assert!(good, "our own signatures do not verify");
        good
    }
}

fn exactly<const N: usize>(values: Vec<f64>) -> [f64; N] {
    values.try_into().unwrap_or([f64::NAN; N])
}

fn micros(nanos: f64) -> String {
    format!("{:.1} µs", nanos / 1000.0)
}
