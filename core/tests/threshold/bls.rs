//! The same combiner over BLS, in both variants.

use quorate::Error;
use quorate::bls::{MinPk, MinSig};
use quorate::threshold::bls::{
    BlsScheme, GroupKey, KeyShare, ShareFault, SignatureShare, Signing, beacon, deal,
};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::{Agreement, Combiner, Tolerance};
use quorate::wire::{Decode, Encode};

use super::harness::{COMMITTEE, MESSAGE, rng};

fn parties<V: BlsScheme>(agreement: Agreement) -> Vec<KeyShare<V>> {
    deal(COMMITTEE, Tolerance::new(7, 2).unwrap(), agreement, &mut rng(5)).unwrap()
}

struct Run<V: BlsScheme> {
    combiner: Combiner<Signing<V>>,
    cache: Cache<quorate::bls::Fr>,
    faults: Vec<(u16, ShareFault<V>)>,
}

impl<V: BlsScheme> Run<V> {
    fn new(parties: &[KeyShare<V>]) -> Self {
        let combiner = Combiner::new(Signing::new(parties[0].key().clone(), MESSAGE));
        Self { combiner, cache: Cache::default(), faults: Vec::new() }
    }

    fn add(&mut self, share: &SignatureShare<V>) -> quorate::Result<()> {
        let outcome = self.combiner.add(&mut self.cache, share.member(), share.clone())?;
        assert!(outcome.wanted.is_empty());
        self.faults.extend(outcome.faults.into_iter().map(|fault| (fault.culprit, fault.evidence)));
        Ok(())
    }
}

/// The share of `from`'s message with another signature in it.
fn with_signature_of<V: BlsScheme>(
    share: &SignatureShare<V>,
    other: &SignatureShare<V>,
) -> SignatureShare<V> {
    let bytes = [&share.encode()[..35], &other.encode()[35..]].concat();
    SignatureShare::decode(&bytes, &()).unwrap()
}

fn any_shares_yield_the_unique_signature<V: BlsScheme>() {
    let parties = parties::<V>(Agreement::Unagreed);
    let shares: Vec<_> = parties.iter().map(|party| party.sign(MESSAGE)).collect();
    let mut signatures = Vec::new();
    for skip in 0..7 {
        let mut run = Run::new(&parties);
        for share in shares.iter().cycle().skip(skip).take(5) {
            assert!(run.combiner.signature().is_none());
            run.add(share).unwrap();
        }
        assert_eq!(run.combiner.counts().combinations, 1);
        signatures.push(run.combiner.signature().cloned().unwrap());
    }
    assert!(signatures.windows(2).all(|pair| pair[0] == pair[1]));
    V::verify(parties[0].key().public(), MESSAGE, &signatures[0]).unwrap();
    assert!(V::verify(parties[0].key().public(), b"another", &signatures[0]).is_err());
    assert_eq!(beacon(&signatures[0]), beacon(&signatures[6]));
}

fn the_group_key_verifies_as_the_scheme_does<V: BlsScheme>() {
    let parties = parties::<V>(Agreement::Agreed);
    let key = parties[0].key();
    let signature_of = |message: &[u8]| {
        let (mut cache, mut combiner) = (Cache::default(), Combiner::new(Signing::new(key.clone(), message)));
        for party in &parties[..3] {
            let _ = combiner.add(&mut cache, party.member(), party.sign(message)).unwrap();
        }
        combiner.signature().cloned().unwrap()
    };
    let messages: [&[u8]; 3] = [MESSAGE, b"", b"another"];
    let signatures = messages.map(signature_of);
    for (message, of) in messages.iter().zip(&signatures) {
        for signature in &signatures {
            let expected = V::verify(key.public(), message, signature);
            assert_eq!(expected.is_ok(), of == signature);
            assert_eq!(key.verify(message, signature), expected);
        }
    }
    let signed: Vec<_> = messages.iter().copied().zip(&signatures).collect();
    assert_eq!(key.verify_many(&signed), Ok(()));
    assert_eq!(key.verify_many(&[]), Ok(()));
    for wrong in 0..3 {
        let mut signed = signed.clone();
        signed[wrong].1 = &signatures[(wrong + 1) % 3];
        assert_eq!(key.verify_many(&signed).unwrap_err().code(), "BAD_SIGNATURE");
    }
}

fn wrong_shares_are_named_within_the_bounds<V: BlsScheme>() {
    let parties = parties::<V>(Agreement::Agreed);
    let shares: Vec<_> = parties.iter().map(|party| party.sign(MESSAGE)).collect();
    let swapped = [with_signature_of(&shares[0], &shares[1]), with_signature_of(&shares[1], &shares[0])];
    let mut run = Run::new(&parties);
    run.add(&shares[2]).unwrap();
    swapped.iter().for_each(|share| run.add(share).unwrap());
    assert!(run.combiner.signature().is_none());
    shares[3..].iter().for_each(|share| run.add(share).unwrap());
    assert!(run.combiner.signature().is_some());
    let counts = run.combiner.counts();
    assert_eq!((counts.combinations, counts.share_checks, counts.decodings), (2, 3, 0));
    assert_eq!(run.faults.iter().map(|(culprit, _)| *culprit).collect::<Vec<_>>(), [0, 1]);
    // Third parties are convinced if the culprit attested the share.
    for (culprit, fault) in &run.faults {
        let fault = ShareFault::<V>::decode(&fault.encode(), &()).unwrap();
        assert_eq!(fault.verify(parties[0].key(), |_, _, _| Ok(())), Ok(*culprit));
        let silent = fault.verify(parties[0].key(), |_, _, _| Err(Error::NotEvidence));
        assert_eq!(silent, Err(Error::NotEvidence));
    }
    let right = [&(MESSAGE.len() as u32).to_le_bytes(), MESSAGE, &shares[4].encode()].concat();
    let right = ShareFault::<V>::decode(&right, &()).unwrap();
    assert_eq!(right.verify(parties[0].key(), |_, _, _| Ok(())), Err(Error::NotEvidence));
    let other = [&1u32.to_le_bytes()[..], b"x", &shares[4].encode()].concat();
    let other = ShareFault::<V>::decode(&other, &()).unwrap();
    assert_eq!(other.verify(parties[0].key(), |_, _, _| Ok(())).unwrap_err().code(), "WRONG_CONTEXT");
}

fn shares_of_another_instance_are_refused<V: BlsScheme>() {
    let parties = parties::<V>(Agreement::Agreed);
    let other_parties =
        deal::<V, _>(COMMITTEE, Tolerance::new(7, 2).unwrap(), Agreement::Agreed, &mut rng(6)).unwrap();
    let mut run = Run::new(&parties);
    for share in [parties[0].sign(b"another"), other_parties[0].sign(MESSAGE)] {
        assert_eq!(run.add(&share).unwrap_err().code(), "WRONG_CONTEXT");
    }
    let share = parties[0].sign(MESSAGE);
    run.add(&share).unwrap();
    assert_eq!(run.add(&share), Err(Error::DuplicateSigner { index: 0 }));
    let refused = run.combiner.add(&mut run.cache, 2, parties[1].sign(MESSAGE));
    assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");
}

fn encodings_are_exact<V: BlsScheme>() {
    let parties = parties::<V>(Agreement::Unagreed);
    let file = parties[3].to_bytes();
    let read = KeyShare::<V>::from_bytes(&file).unwrap();
    assert_eq!((read.member(), read.key()), (3, parties[3].key()));
    assert_eq!(read.sign(MESSAGE), parties[3].sign(MESSAGE));
    assert_eq!(GroupKey::<V>::decode(&read.key().encode(), &()).as_ref(), Ok(&**read.key()));
    let code = |file: &[u8]| KeyShare::<V>::from_bytes(file).map(drop).unwrap_err().code();
    let member = file.len() - 34;
    let change = |at: usize, to: u8| {
        let mut file = file.to_vec();
        file[at] = to;
        file
    };
    assert_eq!(code(&change(member, 2)), "WRONG_CONTEXT", "another's secret");
    assert_eq!(code(&change(member, 9)), "UNKNOWN_SIGNER");
    assert_eq!(code(&change(0, 1)), "WRONG_CONTEXT");
    assert_eq!(code(&change(37, 3)), "MALFORMED");
    assert_eq!(code(&change(35, 3)), "BAD_COMMITTEE");
    for len in [0, 1, 40, member, file.len() - 1] {
        assert_eq!(code(&file[..len]), "MALFORMED");
    }
    assert_eq!(code(&[&file[..], &[0]].concat()), "MALFORMED");
    let share = parties[3].sign(MESSAGE);
    assert_eq!(SignatureShare::decode(&share.encode(), &()), Ok(share.clone()));
    assert!(SignatureShare::<V>::decode(&share.encode()[1..], &()).is_err());
}

macro_rules! suite {
    ($($test:ident),* $(,)?) => {
        mod min_sig { $(#[test] fn $test() { super::$test::<super::MinSig>() })* }
        mod min_pk { $(#[test] fn $test() { super::$test::<super::MinPk>() })* }
    };
}

suite! {
    any_shares_yield_the_unique_signature,
    the_group_key_verifies_as_the_scheme_does,
    wrong_shares_are_named_within_the_bounds,
    shares_of_another_instance_are_refused,
    encodings_are_exact,
}
