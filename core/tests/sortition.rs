//! The proposers' lottery: tickets, seeds, and forgeries of both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "sortition")]

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::sync::Arc;

use proptest::prelude::*;
use quorate::Error;
use quorate::bls::{MinPk, MinSig};
use quorate::certificate::{Kind, Vote};
use quorate::committee::{ChainId, Committee, Repeats};
use quorate::scheme::{Scheme, VerifiedKey, Vrf};
use quorate::sortition::{EXPECTED_WINNERS, Lottery, Seed, SeedProof, Ticket};
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use rand::SeedableRng;
use rand::rngs::StdRng;

const ROUND: u64 = 42;

struct World<S: Scheme> {
    secrets: Vec<S::SecretKey>,
    committee: Arc<Committee<S>>,
}

fn chain() -> ChainId {
    ChainId::from_name("sortition")
}

fn seed() -> Seed {
    Seed::genesis(chain(), b"bytes that no member controls")
}

fn winners(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap()
}

impl<S: Vrf> World<S> {
    fn new(n: usize) -> Self {
        Self::make(n, chain(), 3)
    }

    fn make(n: usize, chain: ChainId, epoch: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(7);
        let secrets: Vec<_> = (0..n).map(|_| S::generate(&mut rng).unwrap()).collect();
        let members = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
        Self { secrets, committee: Arc::new(Committee::new(chain, epoch, members).unwrap()) }
    }

    fn lottery(&self, round: u64, expected: u16) -> Lottery<S> {
        Lottery::new(self.committee.clone(), seed(), round, winners(expected))
    }

    fn ticket(&self, member: usize) -> Ticket<S> {
        self.lottery(ROUND, u16::MAX).draw(&self.secrets[member]).unwrap().unwrap().into_inner()
    }

    fn proof(&self, member: usize, seed: &Seed) -> SeedProof<S> {
        SeedProof::sign(&self.secrets[member], &self.committee, seed).unwrap()
    }
}

/// Runs a test for every scheme with unique signatures.
macro_rules! for_each_scheme {
    ($($test:ident),*) => {$(
        #[test]
        fn $test() {
            run::$test::<MinSig>();
            run::$test::<MinPk>();
            #[cfg(feature = "gossip")]
            run::$test::<quorate::bls::Counted<MinSig>>();
            #[cfg(feature = "gossip")]
            run::$test::<quorate::bls::Counted<MinPk>>();
            #[cfg(feature = "toy")]
            run::$test::<quorate::scheme::Toy>();
        }
    )*};
}

for_each_scheme!(
    every_member_accepts_a_winning_ticket,
    ticket_is_bound_to_its_context,
    losing_members_have_no_valid_ticket,
    drawing_again_yields_the_same_ticket,
    a_repeated_key_has_one_ticket,
    all_members_derive_the_same_seeds,
    a_proof_is_valid_for_one_seed_committee_and_member,
    signatures_for_one_purpose_are_invalid_for_others,
    truncated_and_extended_encodings_are_refused
);

mod run {
    use super::*;

    pub(super) fn every_member_accepts_a_winning_ticket<S: Vrf>() {
        let world = World::<S>::new(4);
        let lottery = world.lottery(ROUND, EXPECTED_WINNERS.get());
        let mut scores = BTreeSet::new();
        for (member, secret) in (0u16..).zip(&world.secrets) {
            let drawn = lottery.draw(secret).unwrap().expect("of four members all seven win");
            let bytes = drawn.encode();
            let received = Ticket::<S>::decode(&bytes, &()).unwrap();
            assert_eq!((received.member(), received.round(), received.encode()), (member, ROUND, bytes));
            let received = received.verify(&lottery).unwrap();
            assert_eq!((&received, received.score()), (&drawn, drawn.score()));
            assert_eq!(received.committee(), world.committee.id());
            scores.insert(received.score());

            let mut w = Writer::new();
            drawn.encode_detached(&mut w);
            let detached = w.into_bytes();
            let read = Ticket::<S>::decode_detached(&mut Reader::new(&detached), ROUND, member).unwrap();
            assert_eq!(read.check(&lottery), Ok(()));
        }
        assert_eq!(scores.len(), 4, "members have scores of their own");
    }

    pub(super) fn ticket_is_bound_to_its_context<S: Vrf>() {
        let world = World::<S>::new(4);
        let ticket = world.ticket(1);
        let refused = |lottery: &Lottery<S>| ticket.clone().verify(lottery).unwrap_err();
        let not_its = Error::BadSignature { signers: vec![1] };

        let next = world.lottery(ROUND + 1, u16::MAX);
        let mismatch = Error::Mismatch { what: "round", expected: ROUND + 1, actual: ROUND };
        assert_eq!(refused(&next), mismatch);
        let moved = Ticket::new(ROUND + 1, 1, ticket.signature().clone());
        assert_eq!(moved.check(&next), Err(not_its.clone()));

        let later = seed().next(&world.proof(0, &seed()), &world.committee).unwrap();
        for other in [Seed::genesis(chain(), b"another"), later] {
            assert_eq!(refused(&Lottery::new(world.committee.clone(), other, ROUND, winners(7))), not_its);
        }
        for elsewhere in [
            World::<S>::make(4, chain(), 4),
            World::make(4, ChainId::from_name("another"), 3),
            World::make(5, chain(), 3),
        ] {
            assert_eq!(refused(&elsewhere.lottery(ROUND, u16::MAX)), not_its);
        }

        let lottery = world.lottery(ROUND, u16::MAX);
        let stolen = Ticket::<S>::new(ROUND, 2, ticket.signature().clone());
        assert_eq!(stolen.check(&lottery), Err(Error::BadSignature { signers: vec![2] }));
        let outside = Ticket::<S>::new(ROUND, 4, ticket.signature().clone());
        assert_eq!(outside.check(&lottery), Err(Error::UnknownSigner { index: 4 }));
        let outsider = S::generate(&mut StdRng::seed_from_u64(99)).unwrap();
        assert_eq!(lottery.draw(&outsider).unwrap_err(), Error::WrongContext { what: "signing key" });
        assert_eq!(ticket.check(&lottery), Ok(()));
    }

    pub(super) fn losing_members_have_no_valid_ticket<S: Vrf>() {
        let world = World::<S>::new(12);
        let (mut won, mut lost) = (0, 0);
        for round in 0..6 {
            let lottery = world.lottery(round, 4);
            for (member, secret) in (0u16..).zip(&world.secrets) {
                if let Some(ticket) = lottery.draw(secret).unwrap() {
                    assert_eq!(ticket.check(&lottery), Ok(()));
                    won += 1;
                } else {
                    let ticket =
                        Ticket::<S>::new(round, member, S::sign(secret, &signed_bytes(&world, round)));
                    assert_eq!(ticket.check(&lottery), Err(Error::NotDrawn));
                    assert_eq!(ticket.check(&world.lottery(round, 12)), Ok(()), "the ticket is valid");
                    lost += 1;
                }
            }
        }
        assert!(won > 10 && lost > 20, "{won} won, {lost} did not");
    }

    pub(super) fn drawing_again_yields_the_same_ticket<S: Vrf>() {
        let (world, again) = (World::<S>::new(3), World::<S>::new(3));
        assert_eq!(world.ticket(2), again.ticket(2));
        assert_eq!(world.proof(2, &seed()), again.proof(2, &seed()));
        assert_ne!(world.ticket(2), world.ticket(1));
    }

    pub(super) fn a_repeated_key_has_one_ticket<S: Vrf>() {
        let world = World::<S>::new(2);
        let keys: Vec<_> = world.secrets.iter().map(S::public_key).collect();
        let members = [0, 1, 1, 0].map(|i: usize| (keys[i].clone(), 1)).into();
        let committee = Arc::new(Committee::<S>::from_attested(chain(), 3, members, Repeats::Allow).unwrap());
        let lottery = Lottery::new(committee, seed(), ROUND, EXPECTED_WINNERS);
        let ticket = lottery.draw(&world.secrets[1]).unwrap().unwrap();
        assert_eq!(ticket.member(), 1);
        let again = Ticket::<S>::new(ROUND, 2, ticket.signature().clone());
        assert_eq!(again.check(&lottery), Err(Error::WrongContext { what: "index of a repeated key" }));
    }

    pub(super) fn all_members_derive_the_same_seeds<S: Vrf>() {
        let world = World::<S>::new(3);
        let (mut at, mut seen) = (seed(), BTreeSet::from([seed()]));
        for height in 1..=5u64 {
            let proof = world.proof(height as usize % 3, &at);
            let sent = SeedProof::<S>::decode(&proof.encode(), &()).unwrap();
            assert_eq!((u64::from(sent.signer()), &sent), (height % 3, &proof));
            let after = at.next(&sent, &world.committee).unwrap();
            assert_eq!(at.next(&proof, &world.committee), Ok(after), "all members derive the same seed");
            let by_another = at.next(&world.proof((height as usize + 1) % 3, &at), &world.committee).unwrap();
            assert_eq!((after.height(), by_another.height()), (height, height));
            assert!(seen.insert(after) && seen.insert(by_another));
            assert_eq!(Seed::decode(&after.encode(), &()), Ok(after));
            at = after;
        }
        let mut last = at.encode();
        last[..8].fill(0xff);
        let last = Seed::decode(&last, &()).unwrap();
        let refused = last.next(&world.proof(0, &last), &world.committee);
        assert_eq!(refused, Err(Error::TooLarge { what: "seed height", limit: u64::MAX }));
    }

    pub(super) fn a_proof_is_valid_for_one_seed_committee_and_member<S: Vrf>() {
        let world = World::<S>::new(4);
        let proof = world.proof(1, &seed());
        let not_its = Err(Error::BadSignature { signers: vec![1] });
        let mut higher = seed().encode();
        higher[0] = 1;
        for other in [Seed::genesis(chain(), b"another"), Seed::decode(&higher, &()).unwrap()] {
            assert_eq!(other.next(&proof, &world.committee), not_its);
        }
        for elsewhere in [World::<S>::make(4, chain(), 4), World::make(4, ChainId::from_name("another"), 3)] {
            assert_eq!(seed().next(&proof, &elsewhere.committee), not_its);
        }
        let stolen = SeedProof::<S>::new(2, proof.signature().clone());
        assert_eq!(seed().next(&stolen, &world.committee), Err(Error::BadSignature { signers: vec![2] }));
        let outside = SeedProof::<S>::new(4, proof.signature().clone());
        assert_eq!(seed().next(&outside, &world.committee), Err(Error::UnknownSigner { index: 4 }));
        let outsider = S::generate(&mut StdRng::seed_from_u64(99)).unwrap();
        let refused = SeedProof::<S>::sign(&outsider, &world.committee, &seed()).unwrap_err();
        assert_eq!(refused, Error::WrongContext { what: "signing key" });
    }

    pub(super) fn signatures_for_one_purpose_are_invalid_for_others<S: Vrf>() {
        let world = World::<S>::new(4);
        let (ticket, proof) = (world.ticket(0), world.proof(0, &seed()));
        let statement = world.committee.statement(Kind::new(1), ROUND, *seed().value());
        let vote = Vote::<S>::sign_unguarded(&world.secrets[0], &world.committee, statement).unwrap();
        let not_its = Error::BadSignature { signers: vec![0] };
        for signature in [proof.signature(), vote.signature()] {
            let ticket = Ticket::<S>::new(ROUND, 0, signature.clone());
            assert_eq!(ticket.check(&world.lottery(ROUND, u16::MAX)), Err(not_its.clone()));
        }
        for signature in [ticket.signature(), vote.signature()] {
            let proof = SeedProof::<S>::new(0, signature.clone());
            assert_eq!(seed().next(&proof, &world.committee), Err(not_its.clone()));
        }
        for signature in [ticket.signature(), proof.signature()] {
            let vote = Vote::<S>::new(statement, 0, signature.clone());
            assert_eq!(vote.check(&world.committee), Err(not_its.clone()));
        }
    }

    pub(super) fn truncated_and_extended_encodings_are_refused<S: Vrf>() {
        let world = World::<S>::new(2);
        let (ticket, proof) = (world.ticket(1).encode(), world.proof(1, &seed()).encode());
        let seed = seed().encode();
        for cut in 0..ticket.len() {
            assert!(Ticket::<S>::decode(&ticket[..cut], &()).is_err());
        }
        for cut in 0..proof.len() {
            assert!(SeedProof::<S>::decode(&proof[..cut], &()).is_err());
        }
        assert!((0..seed.len()).all(|cut| Seed::decode(&seed[..cut], &()).is_err()));
        let malformed = Error::TrailingBytes { count: 1 };
        assert_eq!(Ticket::<S>::decode(&[&ticket[..], &[0]].concat(), &()).unwrap_err(), malformed);
        assert_eq!(SeedProof::<S>::decode(&[&proof[..], &[0]].concat(), &()).unwrap_err(), malformed);
        assert_eq!(Seed::decode(&[&seed[..], &[0]].concat(), &()).unwrap_err(), malformed);
        let wrong_suite =
            Error::Mismatch { what: "suite", expected: S::SUITE.into(), actual: (S::SUITE ^ 0x81).into() };
        for (whole, position) in [(ticket, 0), (proof, 0)] {
            let mut other = whole.clone();
            other[position] ^= 0x81;
            let errors = [
                Ticket::<S>::decode(&other, &()).unwrap_err(),
                SeedProof::<S>::decode(&other, &()).unwrap_err(),
            ];
            assert_eq!(errors, [wrong_suite.clone(), wrong_suite.clone()]);
        }
    }
}

/// The bytes that a ticket signs, by `spec/sortition.md`.
fn signed_bytes<S: Vrf>(world: &World<S>, round: u64) -> Vec<u8> {
    let mut w = Writer::new();
    w.raw(domain::SORTITION_TICKET.as_bytes());
    w.raw(&world.committee.id().0);
    w.u64(3);
    w.u64(round);
    seed().encode_to(&mut w);
    w.into_bytes()
}

/// A point outside the subgroup that the pairing ignores: any point of the curve times the group's order.
fn torsion<S: Scheme<Proof = <S as Scheme>::Signature>>(x: u8) -> Option<S::Signature> {
    const ORDER: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    let zeros = vec![0; S::sign(&S::generate(&mut StdRng::seed_from_u64(1)).unwrap(), b"").encode().len()];
    let mut bytes = zeros;
    bytes[0] = 0x80;
    *bytes.last_mut().unwrap() = x;
    let point = S::Signature::decode(&bytes, &()).ok()?;
    let add = |a: &S::Signature, b: &S::Signature| S::combine(&[(0, a), (1, b)]);
    let digits = hex::decode(ORDER).unwrap();
    let bits = digits.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1));
    let mut product = point.clone();
    for bit in bits.skip_while(|bit| !bit).skip(1) {
        product = add(&product, &product);
        if bit {
            product = add(&product, &point);
        }
    }
    Some(product)
}

/// σ + T satisfies the pairing and has other bytes: if accepted, a member would have one ticket per such T.
#[test]
fn points_outside_the_subgroup_yield_no_tickets() {
    fn check<S: Vrf + Scheme<Proof = <S as Scheme>::Signature>>() {
        let world = World::<S>::new(30);
        let add = |a: &S::Signature, b: &S::Signature| S::combine(&[(0, a), (1, b)]);
        let torsion: Vec<_> = (1..30).filter_map(torsion::<S>).collect();
        assert!(torsion.len() > 5);
        // A lottery that the member does not win, so that choosing its score would pay.
        let round = (0..).find(|round| world.lottery(*round, 1).draw(&world.secrets[0]).unwrap().is_none());
        let lottery = world.lottery(round.unwrap(), 1);
        let honest = S::sign(&world.secrets[0], &signed_bytes(&world, round.unwrap()));
        let proof = world.proof(0, &seed());
        for point in &torsion {
            let added = add(&honest, point);
            assert_ne!(added.encode(), honest.encode());
            for signature in [added, point.clone()] {
                let ticket = Ticket::<S>::new(round.unwrap(), 0, signature);
                // Not `NotDrawn`, as for most of them if they were hashed first.
                assert_eq!(ticket.check(&lottery), Err(Error::NotInSubgroup));
            }
            let moved = SeedProof::<S>::new(0, add(proof.signature(), point));
            assert_eq!(seed().next(&moved, &world.committee), Err(Error::NotInSubgroup));
        }
    }
    check::<MinSig>();
    check::<MinPk>();
}

#[test]
fn the_expected_number_of_members_wins_evenly_spread() {
    let world = World::<MinSig>::new(40);
    let rounds = 60;
    let mut wins = vec![0u32; 40];
    let mut best = BTreeSet::new();
    for round in 0..rounds {
        let lottery = world.lottery(round, EXPECTED_WINNERS.get());
        let drawn: Vec<_> = world.secrets.iter().filter_map(|s| lottery.draw(s).unwrap()).collect();
        drawn.iter().for_each(|ticket| wins[usize::from(ticket.member())] += 1);
        best.extend(drawn.iter().min_by_key(|ticket| ticket.score()).map(|ticket| ticket.member()));
    }
    let total: u32 = wins.iter().sum();
    // 420 on average, with a standard deviation of 19; 10.5 for each member, with one of 3.
    assert!((345..=495).contains(&total), "{total} wins in {rounds} rounds");
    assert!(wins.iter().all(|wins| (1..=24).contains(wins)), "{wins:?}");
    assert!(best.len() > 20, "{} of 40 members were ever the best in {rounds} rounds", best.len());
}

#[test]
fn first_seeds_differ_by_chain_and_bytes() {
    let other = ChainId::from_name("another");
    let seeds = [
        Seed::genesis(chain(), b""),
        Seed::genesis(chain(), b"a"),
        Seed::genesis(other, b""),
        Seed::genesis(other, b"a"),
    ];
    assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), 4);
    assert!(seeds.iter().all(|seed| seed.height() == 0));
}

proptest! {
    #[test]
    fn decoded_values_encode_to_the_same_bytes(
        bytes in proptest::collection::vec(any::<u8>(), 0..120), suite in 0u8..6, cut in 0usize..120, flip in 0usize..59,
    ) {
        let ticket = World::<MinSig>::new(1).ticket(0).encode();
        let mut changed = ticket.clone();
        changed[flip] ^= 1 << (cut % 8);
        let shaped = [&[suite], &bytes[..]].concat();
        for bytes in [&shaped, &changed, &shaped[..cut.min(shaped.len())].to_vec()] {
            if let Ok(ticket) = Ticket::<MinSig>::decode(bytes, &()) {
                prop_assert_eq!(&ticket.encode(), bytes);
            }
            if let Ok(proof) = SeedProof::<MinPk>::decode(bytes, &()) {
                prop_assert_eq!(&proof.encode(), bytes);
            }
            if let Ok(seed) = Seed::decode(bytes, &()) {
                prop_assert_eq!(&seed.encode(), bytes);
            }
        }
    }
}
