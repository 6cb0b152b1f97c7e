//! Threshold signatures: all decoders, and combiners with arbitrary shares in any order.

use std::sync::{Arc, LazyLock};

use quorate::bls::MinSig;
use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{
    AgreedTag, Curve, Deal, GroupKey, Opening, Plan, Presignatures, ShareFault, Signature, SignatureShare,
    Signing, Tag, TrustedDealer, UnagreedTag,
};
use quorate::threshold::{
    Agreed, Agreement, Class, Combiner, Instance, Ristretto255, Secp256k1, Tolerance, Unagreed, bls,
    lagrange, seal,
};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::identity;
use crate::mutate::Rng;
use crate::seeds::from_vectors;

const PARTIES: usize = 7;
const FAULTY: usize = 2;
const EPOCH: u64 = 12;
const MESSAGE: &[u8] = b"pay 5 to Bob";
const PLAN: Plan = Plan::Agreement { parties: PARTIES as u16, rounds: 1 };
/// Offset of s in an encoded share.
const S: usize = 47;

/// A committee's shares and signature of one message under one tag.
struct Fixture<G: Curve, C: Class> {
    file: Vec<u8>,
    key: Arc<GroupKey<G>>,
    deal: Arc<Deal>,
    tag: Tag<C>,
    signing: Signing<G, C>,
    shares: Vec<SignatureShare<G>>,
    openings: Vec<Opening<G>>,
    signature: Signature<G>,
}

#[allow(clippy::expect_used, clippy::indexing_slicing)] // the fixture is the same on every run
fn make<G: Curve, C: Class>(tag: Tag<C>) -> Fixture<G, C> {
    let mut rng = StdRng::seed_from_u64(6);
    let tolerance = Tolerance::new(PARTIES as u16, FAULTY as u16).expect("2 of 7");
    let dealer = TrustedDealer::<G>::new(CommitteeId([6; 32]), tolerance, &mut rng).expect("a key");
    let mut all_presignatures = dealer.deal(EPOCH, PLAN, &mut rng).expect("presignatures");
    let (file, deal) =
        (all_presignatures[0].to_bytes().expect("a file").to_vec(), all_presignatures[0].deal().clone());
    let signing = all_presignatures[0].signing(tag, MESSAGE).expect("a tag of the plan");
    let (mut shares, mut openings) = (Vec::new(), Vec::new());
    for presignatures in &mut all_presignatures {
        let secret = Ed25519::secret_from_bytes(&[6; 32]).expect("32 bytes");
        let mut guard = Guard::<Ed25519>::new(secret, ChainId([6; 32]));
        let signed =
            presignatures.take(tag).expect("a presignature").sign(&mut guard, MESSAGE).expect("a share");
        shares.push(signed.share);
        openings.push(signed.opener.open().expect("an opening"));
    }
    let (mut combiner, mut cache) = (Combiner::new(signing.clone()), lagrange::Cache::default());
    for share in &shares {
        let _ = combiner.add(&mut cache, share.member(), share.clone()).expect("a good share");
    }
    let signature = *combiner.signature().expect("a signature");
    Fixture { file, key: dealer.key().clone(), deal, tag, signing, shares, openings, signature }
}

#[allow(clippy::expect_used)] // the plan has them
fn tags() -> (AgreedTag, UnagreedTag) {
    (PLAN.prbc(EPOCH, 3).expect("a tag"), PLAN.promotion(EPOCH, 0, 2, 4).expect("a tag"))
}

static AGREED: LazyLock<Fixture<Ristretto255, Agreed>> = LazyLock::new(|| make(tags().0));
static UNAGREED: LazyLock<Fixture<Secp256k1, Unagreed>> = LazyLock::new(|| make(tags().1));

struct Shared {
    file: Vec<u8>,
    key: Arc<bls::GroupKey<MinSig>>,
    share: bls::SignatureShare<MinSig>,
}

#[allow(clippy::expect_used, clippy::indexing_slicing)] // the fixture is the same on every run
static SHARED: LazyLock<Shared> = LazyLock::new(|| {
    let tolerance = Tolerance::new(4, 1).expect("1 of 4");
    let committee = CommitteeId([6; 32]);
    let mut rng = StdRng::seed_from_u64(7);
    let parties = bls::deal(committee, tolerance, Agreement::Agreed, &mut rng).expect("a key");
    Shared {
        file: parties[1].to_bytes().to_vec(),
        key: parties[1].key().clone(),
        share: parties[1].sign(MESSAGE),
    }
});

#[allow(clippy::expect_used)] // the fixture is the same on every run
static SEALED: LazyLock<(seal::SealingKey, Vec<u8>)> = LazyLock::new(|| {
    let mut rng = StdRng::seed_from_u64(8);
    let key = seal::SealingKey::generate(&mut rng).expect("a key");
    let sealed = key.public().seal(b"fuzz", MESSAGE, &mut rng).expect("a sealed file");
    (key, sealed)
});

/// All encodings: decoded values encode to the same bytes, and forgeries are invalid.
pub(crate) fn decoders(bytes: &[u8]) {
    decode_as(bytes, &*AGREED);
    decode_as(bytes, &*UNAGREED);
    identity::<Plan, ()>(bytes, &());
    identity::<Deal, ()>(bytes, &());
    identity::<seal::SealingPublicKey, ()>(bytes, &());
    let (key, sealed) = &*SEALED;
    assert_eq!(key.open(b"fuzz", bytes).is_ok(), bytes == sealed, "a forged sealed file opens");
    if let Ok(share) = bls::KeyShare::<MinSig>::from_bytes(bytes) {
        assert_eq!(share.to_bytes().as_slice(), bytes);
    }
    identity::<bls::GroupKey<MinSig>, ()>(bytes, &());
    identity::<bls::SignatureShare<MinSig>, ()>(bytes, &());
    if let Some(fault) = identity::<bls::ShareFault<MinSig>, ()>(bytes, &()) {
        let guilty = fault.verify(&SHARED.key, |_, _, _| Ok(()));
        assert!(guilty.is_err() || *fault.share() != SHARED.share, "an honest share is evidence");
    }
}

fn decode_as<G: Curve, C: Class>(bytes: &[u8], made: &Fixture<G, C>) {
    identity::<GroupKey<G>, ()>(bytes, &());
    identity::<Opening<G>, ()>(bytes, &());
    identity::<SignatureShare<G>, ()>(bytes, &());
    if let Ok(file) = Presignatures::<G>::from_bytes(bytes) {
        assert!(file.to_bytes().is_ok_and(|again| again.as_slice() == bytes));
    }
    if let Some(signature) = identity::<Signature<G>, ()>(bytes, &()) {
        let valid = made.key.verify(made.tag, MESSAGE, &signature).is_ok();
        assert_eq!(valid, signature == made.signature, "a forgery is valid");
    }
    if let Some(fault) = identity::<ShareFault<G>, ()>(bytes, &()) {
        let guilty = fault.verify(&made.key, &made.deal, |_, _, _| Ok(()));
        assert!(guilty.is_err() || !made.shares.contains(fault.share()), "an honest share is evidence");
    }
}

/// Seeds of [`decoders`].
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<G: Curve, C: Class>(made: &Fixture<G, C>) -> Vec<Vec<u8>> {
        let share = made.shares.first().map(Encode::encode).unwrap_or_default();
        let opening = made.openings.first().map(Encode::encode).unwrap_or_default();
        let message = [&(MESSAGE.len() as u32).to_le_bytes(), MESSAGE].concat();
        let opened = [&[1], &message[..], &share, &opening].concat();
        let others: Vec<u8> = made.shares.iter().skip(1).take(5).flat_map(Encode::encode).collect();
        let outlier = [&[2], &share[..], &5u32.to_le_bytes(), &others].concat();
        let signature = made.signature.encode();
        vec![
            made.file.clone(),
            made.key.encode(),
            made.deal.encode(),
            share,
            opening,
            opened,
            outlier,
            signature,
        ]
    }
    let mut seeds = [seeds_for(&*AGREED), seeds_for(&*UNAGREED)].concat();
    let message = [&(MESSAGE.len() as u32).to_le_bytes(), MESSAGE].concat();
    let fault = [message, SHARED.share.encode()].concat();
    seeds.extend([SHARED.file.clone(), SHARED.key.encode(), SHARED.share.encode(), fault]);
    seeds.extend([PLAN.encode(), SEALED.1.clone()]);
    // Lengths of the decoded values.
    let lengths = [5, 64, 69, 70, 83];
    seeds.extend(from_vectors().iter().filter(|seed| lengths.contains(&seed.len())).cloned());
    seeds
}

/// A combiner for agreed messages and one for unagreed ones; two bytes per step choose shares and openings. Only senders of
/// wrong shares are blamed, with valid evidence; the signature is that of the honest parties, and exists as soon as there
/// are enough right shares; the work stays within its bounds.
pub(crate) fn combiners(bytes: &[u8]) {
    combine(bytes, &*AGREED);
    combine(bytes, &*UNAGREED);
}

fn combine<G: Curve, C: Class>(bytes: &[u8], made: &Fixture<G, C>) {
    let needed = usize::from(made.signing.threshold().needed());
    let (mut combiner, mut cache) = (Combiner::new(made.signing.clone()), lagrange::Cache::default());
    // The first share of each party: none, valid or invalid; and the parties that opened after a request.
    let (mut sent, mut opened) = ([None::<bool>; PARTIES], [false; PARTIES]);
    for step in bytes.chunks_exact(2).take(60) {
        let &[selector, what] = step else { return };
        let member = usize::from(selector) % PARTIES;
        let (Some(share), Some(opening)) = (made.shares.get(member), made.openings.get(member)) else {
            return;
        };
        let wrong_ones = sent.iter().flatten().filter(|right| !**right).count();
        let outcome = match what % 4 {
            0 => {
                opened.iter_mut().skip(member).take(1).for_each(|opened| *opened = true);
                combiner.open(&mut cache, member as u16, opening)
            }
            1 if wrong_ones < FAULTY => {
                let Some(share) = spoilt(share, what / 4) else { continue };
                sent.iter_mut().skip(member).take(1).for_each(|sent| *sent = sent.or(Some(false)));
                combiner.add(&mut cache, member as u16, share)
            }
            _ => {
                sent.iter_mut().skip(member).take(1).for_each(|sent| *sent = sent.or(Some(true)));
                combiner.add(&mut cache, member as u16, share.clone())
            }
        };
        let Ok(outcome) = outcome else { continue };
        for fault in outcome.faults {
            assert!(sent.get(usize::from(fault.culprit)) == Some(&Some(false)), "an honest party is blamed");
            assert_eq!(fault.evidence.verify(&made.key, &made.deal, |_, _, _| Ok(())), Ok(fault.culprit));
        }
        assert!(outcome.signature.is_none_or(|signature| signature == made.signature));
        let counts = combiner.counts();
        assert!(counts.combinations <= FAULTY + 1 && counts.share_checks <= needed + FAULTY);
        assert!(counts.decodings <= 2 * FAULTY + 1);
    }
    // Parties with an unanswered request open their shares, also those that are requested next; t valid shares then give
    // a signature.
    let mut owed: Vec<_> = (0..PARTIES as u16).collect();
    while let Some(member) = owed.pop() {
        let Some(opening) = made.openings.get(usize::from(member)) else { return };
        owed.extend(
            combiner.open(&mut cache, member, opening).map(|outcome| outcome.wanted).unwrap_or_default(),
        );
    }
    let right = sent.iter().flatten().filter(|right| **right).count();
    assert!(combiner.signature().is_some() || right < needed, "no signature from enough valid shares");
}

/// The share with another s.
fn spoilt<G: Curve>(share: &SignatureShare<G>, how: u8) -> Option<SignatureShare<G>> {
    let mut bytes = share.encode();
    // Neither end of either byte order, so that it stays below the order.
    *bytes.get_mut(S + 2 + usize::from(how) % 28)? ^= 1 << (how % 8);
    SignatureShare::decode(&bytes, &()).ok()
}

/// Seeds of [`combiners`].
pub(crate) fn combiner_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(3);
    (0..24).map(|_| (0..2 * (4 + rng.below(40))).map(|_| rng.bits() as u8).collect()).collect()
}
