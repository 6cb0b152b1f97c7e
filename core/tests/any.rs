//! The blocks with the suite chosen at run time: they agree with the typed ones and refuse to mix suites.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use quorate::any::{
    Aggregate, Certificate, Collected, Committee, Conflict, Equivocation, Gossip, Guard, Lottery, Pool,
    PublicKey, SecretKey, SeedProof, Signature, Suite, Ticket, TimeoutCollector, TimeoutVote, UnverifiedKey,
    VerifiedKey, Vote, VoteCollector, VoteFault, bls,
};
use quorate::certificate::{Kind, Suspects};
use quorate::committee::{ChainId, RawSigners, Repeats, Verified};
use quorate::gossip::{Parameters, Peers, Received};
use quorate::machine::Time;
use quorate::sortition::{EXPECTED_WINNERS, Seed};
use quorate::{Detail, Error, certificate, ed25519};

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
    let error = result.unwrap_err();
    assert_eq!(error.code(), "WRONG_CONTEXT");
    assert_eq!(error.details()[0], ("what", Detail::Text("suite")));
}

#[test]
fn each_suite_forms_and_decodes_a_certificate() {
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
fn each_suite_has_timeouts_evidence_and_a_guard() {
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
fn mixing_suites_fails_without_side_effects() {
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
        vec![(VerifiedKey::from_secret(&bls[0]), 1), (VerifiedKey::from_secret(&ed[0]), 1)],
    ));
    let mixed = vec![(ed[0].public_key(), 1), (bls[0].public_key(), 1)];
    wrong_suite(Committee::from_attested(chain(), 0, mixed, Repeats::Refuse));
    assert_eq!(Committee::new(chain(), 0, vec![]).unwrap_err().code(), "BAD_COMMITTEE");

    let batch = vec![certificate_of(&ed, &other, 1), certificate_of(&bls, &committee, 1)];
    let verdicts = Certificate::verify_batch(&committee, batch.clone(), &mut getrandom::SysRng);
    wrong_suite(verdicts[0].clone());
    assert!(verdicts[1].is_ok());
    assert!(Certificate::verify_batch_derived(&other, batch)[0].is_ok());
}

#[test]
fn aggregates_belong_to_one_bls_suite() {
    let keys = secrets(Suite::MinPk);
    let verified: Vec<VerifiedKey> = keys.iter().map(VerifiedKey::from_secret).collect();
    let signatures: Vec<Signature> = keys.iter().map(|key| key.sign(b"m")).collect();
    let sum = bls::aggregate(&signatures).unwrap();
    assert_eq!(bls::fast_aggregate_verify(&verified, b"m", &sum), Ok(()));
    let each: Vec<(&VerifiedKey, &[u8])> = verified.iter().map(|key| (key, &b"m"[..])).collect();
    assert_eq!(bls::aggregate_verify(&each, &sum), Ok(()));
    assert_eq!(bls::aggregate(&[]).unwrap_err(), Error::Infinity);

    let ed = SecretKey::generate(Suite::Ed25519, &mut getrandom::SysRng).unwrap();
    wrong_suite(bls::aggregate(&[ed.sign(b"m")]));
    wrong_suite(bls::aggregate(&[signatures[0].clone(), ed.sign(b"m")]));
    wrong_suite(bls::fast_aggregate_verify(&[VerifiedKey::from_secret(&ed)], b"m", &sum));
    wrong_suite(bls::aggregate_verify(&each, &ed.sign(b"m")));
}

#[test]
fn typed_values_convert_in_both_directions() {
    let keys = secrets(Suite::Ed25519);
    let committee = committee_of(&keys);
    let certificate = certificate_of(&keys, &committee, 1);
    let typed: certificate::Certificate<ed25519::Ed25519> = certificate.clone().try_into().unwrap();
    assert_eq!(Certificate::from(typed), certificate);
    wrong_suite(certificate::Certificate::<quorate::bls::MinSig>::try_from(certificate));
    let key: PublicKey = ed25519::PublicKey::try_from(keys[0].public_key()).unwrap().into();
    assert_eq!(PublicKey::decode(Suite::Ed25519, &key.encode()), Ok(key));
}

const COUNTED: [Suite; 2] = [Suite::MinSigCounted, Suite::MinPkCounted];

fn singles(secrets: &[SecretKey], committee: &Committee) -> Vec<Verified<Aggregate>> {
    let statement = committee.statement(KIND, 9, [1; 32]);
    let vote = |secret| Vote::sign_unguarded(secret, committee, statement)?.verify(committee);
    secrets.iter().map(|secret| Aggregate::of_vote(&vote(secret).unwrap(), committee).unwrap()).collect()
}

#[test]
fn aggregates_in_any_order_form_a_certificate() {
    for suite in COUNTED {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let one = singles(&secrets, &committee);
        let pair = one[0].merge(&one[1], 255).unwrap();
        let sum = pair.merge(&one[3], 255).unwrap().merge(&pair, 255).unwrap();
        let backwards = pair.merge(&one[3], 255).and_then(|sum| pair.merge(&sum, 255)).unwrap();
        assert_eq!(sum, backwards);
        assert_eq!((0..4).map(|member| sum.count(member)).collect::<Vec<_>>(), [2, 2, 0, 1]);
        assert_eq!((sum.counts().highest(), sum.signers().len(), sum.suite()), (2, 3, suite));
        assert_eq!(sum.merge(&sum, 3).unwrap_err().code(), "TOO_LARGE");
        assert_eq!(pair.certificate(&committee), None);

        let bytes = sum.encode();
        let received = Aggregate::decode(&bytes, &committee).unwrap();
        assert_eq!((received.encoded_len(), &received), (bytes.len(), &*sum));
        assert_eq!((received.check(&committee), received.verify(&committee).as_ref()), (Ok(()), Ok(&sum)));
        let lower = sum.normalised([&pair]);
        assert_eq!((lower.count(0), lower.count(1), lower.check(&committee)), (1, 1, Ok(())));
        assert_eq!(lower.signature().suite(), suite);

        let certificate = sum.certificate(&committee).unwrap();
        assert_eq!(Aggregate::of_certificate(&certificate), Ok(sum.clone()));
        let reread =
            Certificate::decode(&certificate.encode(), &committee).unwrap().verify(&committee).unwrap();
        assert_eq!(reread.statement(), sum.statement());

        let wrong = pair.merge(&one[2], 255).unwrap().encode();
        let mut wrong = Aggregate::decode(&wrong, &committee).unwrap().encode();
        wrong[18] ^= 1; // another digest
        let batch = vec![sum.clone().into_inner(), Aggregate::decode(&wrong, &committee).unwrap()];
        for verdicts in [
            Aggregate::verify_batch(&committee, batch.clone(), &mut getrandom::SysRng),
            Aggregate::verify_batch_derived(&committee, batch.clone()),
        ] {
            assert_eq!((verdicts[0].as_ref(), verdicts[1].is_err()), (Ok(&sum), true));
        }
    }
}

#[test]
fn gossip_forms_a_certificate_at_every_node() {
    for suite in COUNTED {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let statement = committee.statement(KIND, 9, [1; 32]);
        let parameters = Parameters::default();
        let mut nodes: Vec<(Gossip, Peers)> = (0..4)
            .map(|me| {
                let mut gossip = Gossip::new(&committee, me, statement, parameters).unwrap();
                let vote = Vote::sign_unguarded(&secrets[usize::from(me)], &committee, statement).unwrap();
                assert!(gossip.vote(&vote.verify(&committee).unwrap()).unwrap());
                (gossip, Peers::new(me, 4, parameters))
            })
            .collect();
        for round in 0..64u64 {
            let now = Time(50_000 * round);
            for me in 0..4u16 {
                let (gossip, peers) = &mut nodes[usize::from(me)];
                let Some((to, aggregate)) = gossip.next(now, round * 7 + u64::from(me), peers) else {
                    continue;
                };
                peers.left(to);
                let aggregate = Aggregate::decode(&aggregate.encode(), &committee).unwrap();
                let (gossip, peers) = &mut nodes[usize::from(to)];
                let received = gossip.receive(me, aggregate, now, peers);
                assert!(!matches!(received, Received::Invalid(_) | Received::Refused), "{received:?}");
                assert_eq!(gossip.check(now, Some(&[7; 32]), peers).faults, []);
            }
        }
        for (gossip, _) in &nodes {
            let certificate = gossip.certificate().expect("a quorum has signed");
            assert_eq!(
                (certificate.check(&committee), certificate.statement()),
                (Ok(()), gossip.statement())
            );
            assert!(committee.has_quorum(gossip.signers()) && gossip.waiting() == 0);
            assert!(gossip.pool().aggregates().len() <= quorate::gossip::POOL);
        }
    }
}

#[test]
fn only_counted_suites_have_aggregates_and_they_do_not_mix() {
    let [first, second] = COUNTED.map(|suite| {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let one = singles(&secrets, &committee);
        (committee, one)
    });
    wrong_suite(first.1[0].merge(&second.1[0], 255));
    wrong_suite(second.1[0].check(&first.0));
    wrong_suite(Aggregate::decode(&second.1[0].encode(), &first.0));
    assert_eq!(first.1[0].normalised([&second.1[0]]), first.1[0]);
    let mixed = vec![second.1[0].clone().into_inner(), first.1[0].clone().into_inner()];
    let verdicts = Aggregate::verify_batch_derived(&first.0, mixed);
    wrong_suite(verdicts[0].clone());
    assert!(verdicts[1].is_ok());
    let statement = *first.1[0].statement();
    let mut pool = Pool::new(&first.0, 0, statement, Parameters::default()).unwrap();
    wrong_suite(pool.insert(second.1[1].clone()));
    assert_eq!(pool.insert(first.1[1].clone()), Ok(true));
    assert!(pool.aggregates().len() == 1 && pool.signers().contains(1));
    let mut gossip = Gossip::new(&first.0, 0, statement, Parameters::default()).unwrap();
    let foreign = second.1[1].clone().into_inner();
    let received = gossip.receive(1, foreign, Time(0), &mut Peers::new(0, 4, Parameters::default()));
    let Received::Invalid(error) = received else { panic!("{received:?}") };
    wrong_suite(Err::<(), _>(error));

    for suite in [Suite::MinSig, Suite::MinPk, Suite::Ed25519] {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let vote =
            Vote::sign_unguarded(&secrets[0], &committee, committee.statement(KIND, 9, [1; 32])).unwrap();
        wrong_suite(Aggregate::of_vote(&vote.verify(&committee).unwrap(), &committee));
        wrong_suite(Aggregate::decode(&first.1[0].encode(), &committee));
        wrong_suite(Gossip::new(&committee, 0, statement, Parameters::default()));
        wrong_suite(Pool::new(&committee, 0, statement, Parameters::default()));
        assert!(
            Aggregate::verify_batch_derived(&committee, vec![first.1[0].clone().into_inner()])[0].is_err()
        );
    }
    // Keys have the same bytes in suites 1 and 4 but belong to different suites.
    let secret = SecretKey::from_bytes(Suite::MinSig, &[7; 32]).unwrap();
    let counted = SecretKey::from_bytes(Suite::MinSigCounted, &[7; 32]).unwrap();
    assert_eq!(secret.public_key().encode(), counted.public_key().encode());
    assert!(
        secret.public_key() != counted.public_key() && counted.public_key().suite() == Suite::MinSigCounted
    );
    wrong_suite(secret.public_key().verify(b"m", &counted.sign(b"m")));
}

#[test]
fn tickets_and_seeds_verify_in_suites_with_unique_signatures() {
    let seed = Seed::genesis(chain(), b"what nobody chose");
    for suite in [Suite::MinSig, Suite::MinPk, Suite::MinSigCounted, Suite::MinPkCounted] {
        let secrets = secrets(suite);
        let committee = committee_of(&secrets);
        let lottery = Lottery::new(&committee, seed, 5, EXPECTED_WINNERS).unwrap();
        assert_eq!((lottery.seed(), lottery.round(), lottery.expected()), (seed, 5, EXPECTED_WINNERS));
        assert_eq!((lottery.suite(), lottery.committee().id()), (suite, committee.id()));
        let drawn = lottery.draw(&secrets[2]).unwrap().unwrap();
        let received = Ticket::decode(suite, &drawn.encode()).unwrap();
        assert_eq!((received.member(), received.round(), received.check(&lottery)), (2, 5, Ok(())));
        let received = received.verify(&lottery).unwrap();
        assert_eq!((received.score(), &received), (drawn.score(), &drawn));
        let detached = Ticket::decode_detached(suite, &drawn.encode_detached(), 5, 2).unwrap();
        assert_eq!(Ticket::new(5, 2, detached.signature()).as_ref(), Ok(&detached));
        let stolen = Ticket::new(5, 1, detached.signature()).unwrap();
        assert_eq!(stolen.verify(&lottery).unwrap_err(), Error::BadSignature { signers: vec![1] });

        let proof = SeedProof::sign(&secrets[1], &committee, &seed).unwrap();
        let sent = SeedProof::decode(suite, &proof.encode()).unwrap();
        let again = SeedProof::decode_detached(suite, &sent.encode_detached(), sent.signer()).unwrap();
        let next = again.next_seed(&seed, &committee).unwrap();
        assert_eq!((next.height(), SeedProof::new(1, proof.signature()).unwrap() == sent), (1, true));
        let other = committee_of(&secrets[..3]);
        assert_eq!(proof.next_seed(&seed, &other).unwrap_err(), Error::BadSignature { signers: vec![1] });
    }
    let ed = secrets(Suite::Ed25519);
    let (committee, bls) = (committee_of(&ed), secrets(Suite::MinSig));
    wrong_suite(Lottery::new(&committee, seed, 5, EXPECTED_WINNERS));
    wrong_suite(SeedProof::sign(&ed[0], &committee, &seed));
    wrong_suite(SeedProof::new(0, ed[0].sign(b"")));
    wrong_suite(Ticket::new(5, 0, ed[0].sign(b"")));
    wrong_suite(Ticket::decode(Suite::Ed25519, &[3; 75]));
    let lottery = Lottery::new(&committee_of(&bls), seed, 5, EXPECTED_WINNERS).unwrap();
    wrong_suite(lottery.draw(&ed[0]));
}
