//! The blocks with the suite chosen at run time: they do what the typed ones do, and refuse to mix suites.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use quorate::any::{
    Certificate, Collected, Committee, Conflict, Equivocation, Guard, PublicKey, SecretKey, Signature, Suite,
    TimeoutCollector, TimeoutVote, UnverifiedKey, VerifiedKey, Vote, VoteCollector, VoteFault, bls,
};
use quorate::certificate::{Kind, Suspects};
use quorate::committee::{ChainId, RawSigners, Repeats};
use quorate::{Error, certificate, ed25519};

const KIND: Kind = Kind::new(1);

fn chain() -> ChainId {
    ChainId::from_name("any")
}

fn secrets(suite: Suite) -> Vec<SecretKey> {
    (0..4).map(|_| SecretKey::generate(suite, &mut getrandom::SysRng).unwrap()).collect()
}

fn committee_of(secrets: &[SecretKey]) -> Committee {
    let members = secrets.iter().map(|secret| (UnverifiedKey::prove(secret).verify().unwrap(), 1)).collect();
    Committee::new(chain(), 3, members).unwrap()
}

fn certificate_of(secrets: &[SecretKey], committee: &Committee, digest: u8) -> Certificate {
    let mut collector = VoteCollector::new(committee, KIND, 9);
    let statement = committee.statement(KIND, 9, [digest; 32]);
    let votes = secrets.iter().map(|secret| Vote::sign_unguarded(secret, committee, statement).unwrap());
    let certificates =
        votes.filter_map(|vote| collector.add(vote, &mut Suspects::new()).unwrap().certificate);
    certificates.map(|certificate| certificate.into_inner()).next().unwrap()
}

fn wrong_suite<T: std::fmt::Debug>(result: Result<T, Error>) {
    assert_eq!(result.unwrap_err(), Error::WrongContext { what: "suite" });
}

#[test]
fn each_suite_goes_from_keys_to_a_certificate_and_back_from_bytes() {
    for &suite in Suite::ALL {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        assert_eq!((committee.suite(), committee.len(), committee.quorum_weight()), (suite, 4, 3));
        let reread = SecretKey::from_bytes(suite, secrets[2].to_bytes().as_ref()).unwrap();
        assert_eq!(committee.position(&reread.public_key()), Some(2));

        let statement = committee.statement(KIND, 9, [7; 32]);
        let mut votes: Vec<Vote> =
            secrets.iter().map(|s| Vote::sign_unguarded(s, &committee, statement).unwrap()).collect();
        votes[1] = Vote::new(statement, 1, votes[0].signature());
        let mut collector = VoteCollector::new(&committee, KIND, 9).with_batch_threshold(2);
        let (mut suspects, mut culprits, mut made) = (Suspects::new(), Vec::new(), None);
        for vote in votes {
            assert_eq!(Vote::decode(suite, &vote.encode()).unwrap(), vote);
            let vote = Vote::decode_link(suite, &vote.encode_link()).unwrap();
            let Collected { certificate, faults } = collector.add(vote, &mut suspects).unwrap();
            culprits.extend(faults.iter().map(VoteFault::signer));
            made = made.or(certificate);
        }
        assert!(collector.is_done() && culprits == [1]);
        let bytes = made.unwrap().encode();
        let received = Certificate::decode(&bytes, &committee).unwrap();
        assert_eq!((received.encode(), received.encoded_len()), (bytes.clone(), bytes.len()));
        let detached = received.encode_detached();
        assert_eq!(Certificate::decode_detached(&detached, statement, &committee).unwrap(), received);
        let signed = statement.signed_bytes(&committee.id());
        let signers = committee.signer_set(RawSigners::Indices(&[0, 2, 3])).unwrap();
        assert_eq!(committee.verify_raw(&signed, &signers, &received.proof()), Ok(3));
        assert_eq!(received.verify(&committee).unwrap().committee(), committee.id());
    }
}

#[test]
fn timeouts_evidence_and_the_guard_are_there_for_each_suite() {
    for &suite in Suite::ALL {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let (mut collector, mut suspects) = (TimeoutCollector::new(&committee, KIND, 9), Suspects::new());
        let mut made = None;
        for (value, secret) in (5..).zip(&secrets) {
            let vote = TimeoutVote::sign_unguarded(secret, &committee, KIND, 9, value).unwrap();
            assert_eq!(TimeoutVote::decode(suite, &vote.encode()).unwrap(), vote);
            let vote =
                TimeoutVote::decode_link(suite, &vote.encode_link()).unwrap().verify(&committee).unwrap();
            made = made.or(collector.add_verified(vote, &mut suspects).unwrap().certificate);
        }
        assert!(collector.has_honest() && collector.verify_honest(&mut suspects).0);
        let timeout = made.unwrap();
        assert_eq!((timeout.highest_value(), timeout.groups().len()), (7, 3));

        let conflict =
            Conflict::new(certificate_of(&secrets, &committee, 1), certificate_of(&secrets, &committee, 2))
                .unwrap();
        let conflict = Conflict::decode(&conflict.encode(), &committee).unwrap().verify(&committee).unwrap();
        assert_eq!(conflict.culprits().len(), 3);

        let key = SecretKey::from_bytes(suite, secrets[0].to_bytes().as_ref()).unwrap();
        let mut guard = Guard::new(key, chain());
        let (first, record) = guard.sign(&committee, committee.statement(KIND, 9, [1; 32])).unwrap();
        let key = SecretKey::from_bytes(suite, secrets[0].to_bytes().as_ref()).unwrap();
        let mut restored = Guard::restore(key, chain(), [record]).unwrap();
        let refused = restored.sign(&committee, committee.statement(KIND, 9, [2; 32]));
        assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
        assert_eq!(restored.last(KIND), Some((3, 9)));
        assert!(!format!("{restored:?} {:?}", secrets[0]).contains(&hex::encode(secrets[0].to_bytes())));

        let second =
            Vote::sign_unguarded(&secrets[0], &committee, committee.statement(KIND, 9, [2; 32])).unwrap();
        let evidence = Equivocation::new(first, second).unwrap();
        let evidence = Equivocation::decode(suite, &evidence.encode()).unwrap();
        assert_eq!(evidence.verify(&committee).unwrap().culprits(), [0]);
    }
}

#[test]
fn suites_do_not_mix_and_nothing_changes_by_trying() {
    let (bls, ed) = (secrets(Suite::MinSig), secrets(Suite::Ed25519));
    let (committee, other) = (committee_of(&bls), committee_of(&ed));
    let statement = committee.statement(KIND, 9, [1; 32]);
    let (vote, foreign) = (
        Vote::sign_unguarded(&bls[0], &committee, statement).unwrap(),
        Vote::sign_unguarded(&ed[0], &other, statement).unwrap(),
    );
    wrong_suite(Vote::sign_unguarded(&ed[0], &committee, statement));
    wrong_suite(foreign.clone().verify(&committee));
    wrong_suite(Vote::decode(Suite::Ed25519, &vote.encode()));
    let mut collector = VoteCollector::new(&committee, KIND, 9);
    wrong_suite(collector.add(foreign.clone(), &mut Suspects::new()));
    assert_eq!(collector.weight_for(&[1; 32]), 0);
    wrong_suite(Equivocation::new(vote, foreign));
    wrong_suite(UnverifiedKey::new(bls[0].public_key(), ed[0].prove_possession()));
    wrong_suite(bls[0].public_key().verify(b"", &ed[0].sign(b"")));
    wrong_suite(
        Guard::new(SecretKey::from_bytes(Suite::Ed25519, &[7; 32]).unwrap(), chain())
            .sign(&committee, statement),
    );
    assert_eq!(committee.position(&ed[0].public_key()), None);
    wrong_suite(Committee::new(
        chain(),
        0,
        vec![(VerifiedKey::of(&bls[0]), 1), (VerifiedKey::of(&ed[0]), 1)],
    ));
    let mixed = vec![(ed[0].public_key(), 1), (bls[0].public_key(), 1)];
    wrong_suite(Committee::from_attested(chain(), 0, mixed, Repeats::Refuse));
    assert_eq!(Committee::new(chain(), 0, vec![]).unwrap_err().code(), "BAD_COMMITTEE");

    let batch = vec![certificate_of(&ed, &other, 1), certificate_of(&bls, &committee, 1)];
    let verdicts = Certificate::verify_batch(&committee, batch.clone(), &mut getrandom::SysRng);
    assert!(verdicts[0] == Err(Error::WrongContext { what: "suite" }) && verdicts[1].is_ok());
    assert!(Certificate::verify_batch_derived(&other, batch)[0].is_ok());
}

#[test]
fn aggregates_are_of_one_bls_suite() {
    let keys = secrets(Suite::MinPk);
    let verified: Vec<VerifiedKey> = keys.iter().map(VerifiedKey::of).collect();
    let signatures: Vec<Signature> = keys.iter().map(|key| key.sign(b"m")).collect();
    let sum = bls::aggregate(&signatures).unwrap();
    assert_eq!(bls::fast_aggregate_verify(&verified, b"m", &sum), Ok(()));
    let each: Vec<(&VerifiedKey, &[u8])> = verified.iter().map(|key| (key, &b"m"[..])).collect();
    assert_eq!(bls::aggregate_verify(&each, &sum), Ok(()));
    assert_eq!(bls::aggregate(&[]).unwrap_err(), Error::Infinity);

    let ed = SecretKey::generate(Suite::Ed25519, &mut getrandom::SysRng).unwrap();
    wrong_suite(bls::aggregate(&[ed.sign(b"m")]));
    wrong_suite(bls::aggregate(&[signatures[0].clone(), ed.sign(b"m")]));
    wrong_suite(bls::fast_aggregate_verify(&[VerifiedKey::of(&ed)], b"m", &sum));
    wrong_suite(bls::aggregate_verify(&each, &ed.sign(b"m")));
}

#[test]
fn typed_values_go_in_and_come_out() {
    let keys = secrets(Suite::Ed25519);
    let committee = committee_of(&keys);
    let certificate = certificate_of(&keys, &committee, 1);
    let typed: certificate::Certificate<ed25519::Ed25519> = certificate.clone().try_into().unwrap();
    assert_eq!(Certificate::from(typed), certificate);
    wrong_suite(certificate::Certificate::<quorate::bls::MinSig>::try_from(certificate));
    let key: PublicKey = ed25519::PublicKey::try_from(keys[0].public_key()).unwrap().into();
    assert_eq!(PublicKey::decode(Suite::Ed25519, &key.encode()), Ok(key));
}
