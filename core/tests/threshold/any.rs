//! The blocks with group, class and suite chosen at run time: they equal the typed ones, and refuse to mix.

use std::sync::Arc;

use quorate::Error;
use quorate::any::threshold::ecdsa::{
    Combiner, GroupKey, Opening, Presignatures, ShareFault, Signature, SignatureShare, Signed, Signing, Tag,
    TrustedDealer,
};
use quorate::any::threshold::{Cache, Group};
use quorate::any::{Guard, SecretKey, Suite};
use quorate::committee::ChainId;
use quorate::guard::GuardRecord;
use quorate::threshold::ecdsa::Plan;
use quorate::threshold::{Agreement, Tolerance};

use super::harness::{COMMITTEE, MESSAGE, rng};

const PLANS: [Plan; 2] = [Plan::Agreed { count: 2 }, Plan::Unagreed { count: 2 }];

fn tag_of(plan: Plan, number: u32) -> Tag {
    match plan {
        Plan::Agreed { .. } => plan.agreed(5, number).unwrap().into(),
        _ => plan.unagreed(5, number).unwrap().into(),
    }
}

fn dealer(group: Group) -> TrustedDealer {
    TrustedDealer::new(group, COMMITTEE, Tolerance::new(4, 1).unwrap(), &mut rng(1)).unwrap()
}

fn guard(member: u16, records: &[GuardRecord]) -> Guard {
    // Guards of different suites write the same journal.
    let suite = Suite::ALL[usize::from(member) % Suite::ALL.len()];
    let secret = SecretKey::from_bytes(suite, &[member as u8 + 1; 32]).unwrap();
    Guard::restore(secret, ChainId::from_name("any"), records.iter().copied()).unwrap()
}

/// The parties read their files, and all sign.
fn sign(group: Group, dealer: &TrustedDealer, plan: Plan) -> (Vec<Presignatures>, Vec<Signed>) {
    let files: Vec<_> =
        dealer.deal(5, plan, &mut rng(2)).unwrap().iter().map(|party| party.to_bytes().unwrap()).collect();
    let mut parties: Vec<_> =
        files.iter().map(|file| Presignatures::from_bytes(group, file).unwrap()).collect();
    let signed = parties.iter_mut().map(|party| {
        let presignature = party.take(tag_of(plan, 0)).unwrap();
        assert_eq!((presignature.group(), presignature.agreement()), (group, tag_of(plan, 0).agreement()));
        presignature.sign(&mut guard(party.member(), &[]), MESSAGE).unwrap()
    });
    let signed = signed.collect();
    (parties, signed)
}

/// The share of `of`, as member `member`'s.
fn moved(group: Group, of: &SignatureShare, member: u16) -> SignatureShare {
    let mut bytes = of.encode();
    bytes[1..3].copy_from_slice(&member.to_le_bytes());
    SignatureShare::decode(group, &bytes).unwrap()
}

#[test]
fn every_group_and_class_signs_and_blames() {
    for (&group, plan) in Group::ALL.iter().flat_map(|group| PLANS.map(|plan| (group, plan))) {
        let (dealer, tag) = (dealer(group), tag_of(plan, 0));
        let (parties, signed) = sign(group, &dealer, plan);
        let key = GroupKey::decode(group, &dealer.key().encode()).unwrap();
        assert_eq!((key.id(), key.group(), parties[3].left()), (dealer.key().id(), group, 1));

        // A process without a file receives R from a party.
        let of_party = parties[1].signing(tag, MESSAGE).unwrap();
        let deal = parties[1].deal();
        let signing = Signing::new(&key, Arc::clone(deal), of_party.nonce(), tag, MESSAGE).unwrap();
        assert_eq!((signing.tag(), signing.message(), signing.group()), (tag, MESSAGE, group));
        assert_eq!(signing.agreement(), tag.agreement());

        let (mut combiner, mut cache) = (Combiner::new(signing), Cache::default());
        assert_eq!((combiner.group(), combiner.agreement()), (group, tag.agreement()));
        let mut shares: Vec<_> = signed.iter().map(|signed| signed.share.clone()).collect();
        shares[0] = moved(group, &shares[1], 0);
        let (mut signature, mut faults) = (None, Vec::new());
        let mut wanted = Vec::new();
        for share in shares {
            let outcome = combiner.add(&mut cache, share.member(), share).unwrap();
            signature = outcome.signature;
            wanted.extend(outcome.wanted);
            faults.extend(outcome.faults);
        }
        for member in wanted {
            let opening = signed[usize::from(member)].opener.open().unwrap();
            let opening = Opening::decode(group, &opening.encode()).unwrap();
            assert_eq!((opening.member(), opening.index()), (member, 0));
            let outcome = combiner.open(&mut cache, member, &opening).unwrap();
            signature = outcome.signature;
            faults.extend(outcome.faults);
        }
        let signature = signature.unwrap();
        assert_eq!(combiner.signature(), Some(signature));
        let signature = Signature::decode(group, &signature.to_bytes()).unwrap();
        key.verify(tag, MESSAGE, &signature).unwrap();
        assert_eq!(key.verify(tag, b"another", &signature).unwrap_err().code(), "BAD_SIGNATURE");
        let standard = key.verify_message(MESSAGE, &signature).is_ok();
        assert_eq!(standard, group == Group::Secp256k1);
        assert_eq!(signature.to_der().is_ok() && key.to_spki_der().is_ok(), standard);

        assert_eq!(faults.iter().map(|fault| fault.culprit).collect::<Vec<_>>(), [0]);
        let fault = ShareFault::decode(group, &faults[0].evidence.encode()).unwrap();
        assert_eq!(fault.share().member(), 0);
        assert_eq!(fault.verify(&key, deal, |_, _, _| Ok(())), Ok(0));
        let refused = fault.verify(&key, deal, |_, _, _| Err(Error::NotEvidence));
        assert_eq!(refused, Err(Error::NotEvidence));
    }
}

#[test]
fn journal_precedes_share_and_prevents_reuse_after_crash() {
    for (&group, plan) in Group::ALL.iter().flat_map(|group| PLANS.map(|plan| (group, plan))) {
        let dealer = dealer(group);
        let file = dealer.deal(5, plan, &mut rng(2)).unwrap().remove(2).to_bytes().unwrap();
        let reread = || Presignatures::from_bytes(group, &file).unwrap();
        let mut party = reread();
        let presignature = party.take(tag_of(plan, 1)).unwrap();
        let signed = presignature.sign(&mut guard(2, &[]), MESSAGE).unwrap();
        assert_eq!(party.take(tag_of(plan, 1)).unwrap_err(), Error::Exhausted);

        let log = [signed.record.unwrap()];
        let again = reread().take(tag_of(plan, 1)).unwrap().sign(&mut guard(2, &log), MESSAGE).unwrap();
        assert_eq!(again.share, signed.share);
        let other = reread().take(tag_of(plan, 1)).unwrap().sign(&mut guard(2, &log), b"another");
        assert_eq!(other.unwrap_err().code(), "CONTRADICTION");

        // A reserved block needs no record for each presignature, and is burnt by a crash.
        let mut guard_of_block = guard(2, &log);
        let reservation = guard_of_block.reserve(&dealer.key().id().0, 5, 0).unwrap();
        guard_of_block.confirm(&reservation).unwrap();
        let quick = reread().take(tag_of(plan, 0)).unwrap().sign(&mut guard_of_block, MESSAGE).unwrap();
        assert!(quick.record.is_none());
        let burnt = reread().take(tag_of(plan, 0)).unwrap();
        let burnt = burnt.sign(&mut guard(2, &[log[0], reservation]), MESSAGE);
        assert_eq!(burnt.unwrap_err(), Error::Exhausted);

        let over = reread().destroy(&mut guard_of_block);
        let late = reread().take(tag_of(plan, 1)).unwrap().sign(&mut guard(2, &[over]), MESSAGE);
        assert_eq!(late.unwrap_err(), Error::Exhausted);
    }
}

#[test]
fn groups_and_classes_do_not_mix() {
    let mixed = Error::WrongContext { what: "group" };
    let [one, other] = [Group::Ristretto255, Group::Secp256k1].map(dealer);
    let (parties, signed) = sign(Group::Ristretto255, &one, PLANS[0]);
    let (_, strange) = sign(Group::Secp256k1, &other, PLANS[0]);
    let tag = tag_of(PLANS[0], 0);
    let mut combiner = Combiner::new(parties[0].signing(tag, MESSAGE).unwrap());
    let mut cache = Cache::new(1);
    let share = strange[0].share.clone();
    assert_eq!(combiner.add(&mut cache, 0, share).unwrap_err(), mixed);
    let opening = strange[0].opener.open().unwrap();
    assert_eq!(combiner.open(&mut cache, 0, &opening).unwrap_err(), mixed);
    assert_eq!(
        SignatureShare::decode(Group::Secp256k1, &signed[0].share.encode()).unwrap_err().code(),
        "WRONG_CONTEXT"
    );
    assert_eq!(GroupKey::decode(Group::Secp256k1, &one.key().encode()).unwrap_err().code(), "WRONG_CONTEXT");
    let nonce = parties[0].signing(tag, MESSAGE).unwrap().nonce().to_vec();
    let short = Signing::new(&other.key(), parties[0].deal().clone(), &nonce, tag, MESSAGE);
    assert_eq!(short.unwrap_err().code(), "MALFORMED");

    // The plan determines the class of an index, whatever the tag states.
    let unagreed = tag_of(PLANS[1], 1);
    assert_eq!((tag.agreement(), unagreed.agreement()), (Agreement::Agreed, Agreement::Unagreed));
    let mut fresh = one.deal(5, PLANS[0], &mut rng(3)).unwrap();
    assert_eq!(fresh[0].take(unagreed).unwrap_err(), Error::WrongContext { what: "class of the tag" });
    assert!(fresh[0].signing(unagreed, MESSAGE).is_err());
    assert_eq!(fresh[0].left(), 2);
}

#[cfg(feature = "bls")]
mod bls {
    use quorate::any::threshold::Cache;
    use quorate::any::threshold::bls::{
        Combiner, GroupKey, KeyShare, ShareFault, SignatureShare, Signing, beacon, deal,
    };
    use quorate::any::{SecretKey, Suite};
    use quorate::threshold::{Agreement, Tolerance};

    use super::super::harness::{COMMITTEE, MESSAGE, rng};

    fn parties(suite: Suite) -> quorate::Result<Vec<KeyShare>> {
        deal(suite, COMMITTEE, Tolerance::new(4, 1)?, Agreement::Agreed, &mut rng(4))
    }

    #[test]
    fn both_suites_sign_and_identify_a_wrong_share() {
        for suite in [Suite::MinSig, Suite::MinPk] {
            let files: Vec<_> = parties(suite).unwrap().iter().map(KeyShare::to_bytes).collect();
            let parties: Vec<_> =
                files.iter().map(|file| KeyShare::from_bytes(suite, file).unwrap()).collect();
            let key = GroupKey::decode(suite, &parties[0].key().encode()).unwrap();
            assert_eq!((key.suite(), key.threshold().needed(), key.id()), (suite, 2, parties[1].key().id()));

            let mut wrong = parties[0].sign(MESSAGE).encode();
            wrong[1..3].copy_from_slice(&1u16.to_le_bytes());
            let shares = [parties[0].sign(MESSAGE).encode(), wrong, parties[3].sign(MESSAGE).encode()];
            let (mut combiner, mut cache) = (Combiner::new(Signing::new(&key, MESSAGE)), Cache::default());
            let (mut signature, mut faults) = (None, Vec::new());
            for bytes in shares {
                let share = SignatureShare::decode(suite, &bytes).unwrap();
                let outcome = combiner.add(&mut cache, share.member(), share).unwrap();
                signature = outcome.signature;
                faults.extend(outcome.faults);
            }
            let signature = signature.unwrap();
            key.public().verify(MESSAGE, &signature).unwrap();
            assert_eq!(beacon(&signature), beacon(&combiner.signature().unwrap()));
            assert_eq!(faults.iter().map(|fault| fault.culprit).collect::<Vec<_>>(), [1]);
            let fault = ShareFault::decode(suite, &faults[0].evidence.encode()).unwrap();
            assert_eq!(fault.verify(&key, |_, _, _| Ok(())), Ok(1));
            assert!(key.party(3).is_some() && key.party(4).is_none());
        }
    }

    #[test]
    fn suites_do_not_mix_and_ed25519_has_no_shares() {
        assert_eq!(parties(Suite::Ed25519).unwrap_err().code(), "WRONG_CONTEXT");
        let ed25519 = SecretKey::generate(Suite::Ed25519, &mut rng(1)).unwrap();
        assert_eq!(beacon(&ed25519.sign(MESSAGE)).unwrap_err().code(), "WRONG_CONTEXT");
        let [one, other] = [Suite::MinSig, Suite::MinPk].map(|suite| parties(suite).unwrap());
        let mut combiner = Combiner::new(Signing::new(&one[0].key(), MESSAGE));
        let strange = other[0].sign(MESSAGE);
        let refused = SignatureShare::decode(Suite::MinSig, &strange.encode());
        assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");
        assert_eq!(combiner.add(&mut Cache::default(), 0, strange).unwrap_err().code(), "WRONG_CONTEXT");
    }
}
