//! The common coin, and the common base of coin and threshold encryption: proofs of shares, blame, keys.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(feature = "threshold")]

use std::sync::Arc;

use curve25519_dalek::RistrettoPoint;
use curve25519_dalek::ristretto::CompressedRistretto;
use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use quorate::committee::CommitteeId;
use quorate::threshold::coin::{
    Coin, CoinCombiner, CoinName, CoinShare, CoinValue, KeyShare, PublicKeys, ShareFault, WrongShare,
};
use quorate::threshold::{Threshold, lagrange};
use quorate::wire::{Decode, Encode, domain};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

const COMMITTEE: CommitteeId = CommitteeId([7; 32]);
const NAME: CoinName = CoinName { protocol: 1, epoch: 12, instance: 3, round: 0 };

struct Setup {
    rng: StdRng,
    keys: Arc<PublicKeys>,
    shares: Vec<KeyShare>,
    cache: lagrange::Cache<Scalar>,
}

fn setup(needed: u16, parties: u16) -> Setup {
    let mut rng = StdRng::seed_from_u64(u64::from(needed) << 16 | u64::from(parties));
    let threshold = Threshold::new(needed, parties).unwrap();
    let (keys, shares) = PublicKeys::deal(COMMITTEE, threshold, &mut rng).unwrap();
    Setup { rng, keys: Arc::new(keys), shares, cache: lagrange::Cache::default() }
}

impl Setup {
    fn coin(&self, round: u64) -> Coin {
        Coin::from_name(&self.keys, CoinName { round, ..NAME }).unwrap()
    }

    fn share(&mut self, coin: &Coin, member: usize) -> CoinShare {
        self.shares[member].coin_share(coin, &mut self.rng).unwrap()
    }

    fn value(&mut self, coin: &Coin, members: impl IntoIterator<Item = usize>) -> Result<CoinValue> {
        let shares: Vec<_> = members.into_iter().map(|m| self.share(coin, m)).collect();
        let checked = self.keys.verify_shares(coin.instance(), &shares)?;
        assert!(checked.faults.is_empty());
        coin.combine(&self.keys, &checked.verified, &mut self.cache)
    }

    /// A share in which the member multiplied by another secret: its proof is computed as defined, with knowledge of
    /// xᵢ.
    fn signed_wrong_share(&self, coin: &Coin, member: u16) -> CoinShare {
        let bytes = self.shares[usize::from(member)].to_bytes();
        let x = Scalar::from_canonical_bytes(bytes[67..].try_into().unwrap()).unwrap();
        let base = base(coin);
        let k = Scalar::from(55u64);
        let wrong = ((x + Scalar::ONE) * base).compress();
        let (a1, a2) = (RistrettoPoint::mul_base(&k).compress(), (k * base).compress());
        let hash = *domain::hasher(domain::DLEQ_CHALLENGE)
            .update(&[2])
            .update(&member.to_le_bytes())
            .update(RistrettoPoint::mul_base(&x).compress().as_bytes())
            .update(base.compress().as_bytes())
            .update(wrong.as_bytes())
            .update(a1.as_bytes())
            .update(a2.as_bytes())
            .update(&coin.instance().id())
            .finalize()
            .as_bytes();
        let c = Scalar::from(u128::from_le_bytes(hash[..16].try_into().unwrap()));
        let z = k + c * x;
        let fields: [&[u8]; 5] =
            [&member.to_le_bytes(), wrong.as_bytes(), a1.as_bytes(), a2.as_bytes(), z.as_bytes()];
        CoinShare::decode(&fields.concat(), &()).unwrap()
    }
}

fn base(coin: &Coin) -> RistrettoPoint {
    let mut wide = [0; 64];
    let mut hasher = domain::hasher(domain::COIN_BASE);
    hasher.update(&COMMITTEE.0).update(&coin.name().encode()).finalize_xof().fill(&mut wide);
    RistrettoPoint::from_uniform_bytes(&wide)
}

/// Share points moved by an element, with the original proof.
fn moved(share: &CoinShare, by: RistrettoPoint) -> CoinShare {
    let mut bytes = share.encode();
    let point = CompressedRistretto::from_slice(&bytes[2..34]).unwrap().decompress().unwrap() + by;
    bytes[2..34].copy_from_slice(point.compress().as_bytes());
    CoinShare::decode(&bytes, &()).unwrap()
}

#[test]
fn value_depends_on_the_name_only() {
    let mut s = setup(3, 5);
    let coin = s.coin(0);
    let value = s.value(&coin, [0, 1, 2]).unwrap();
    for members in [vec![2, 3, 4], vec![4, 0, 2], vec![0, 1, 2, 3, 4]] {
        assert_eq!(s.value(&coin, members).unwrap(), value);
    }
    assert_eq!(s.value(&coin, [0, 4]), Err(Error::BelowQuorum { signed: 2, needed: 3 }));
    let mut seen = vec![value];
    let names = [
        CoinName { protocol: 2, ..NAME },
        CoinName { epoch: 13, ..NAME },
        CoinName { instance: 4, ..NAME },
        CoinName { round: 1, ..NAME },
    ];
    for name in names {
        let coin = Coin::from_name(&s.keys, name).unwrap();
        let value = s.value(&coin, [0, 1, 2]).unwrap();
        assert!(!seen.contains(&value));
        seen.push(value);
    }
}

#[test]
fn a_value_yields_bits_and_numbers() {
    let mut bytes = [0; 32];
    (bytes[0], bytes[1]) = (1, 1);
    let value = CoinValue(bytes);
    assert!(value.bit() && !CoinValue([2; 32]).bit());
    assert_eq!((value.below(0), value.below(1), value.below(100)), (None, Some(0), Some(57)), "257 mod 100");
    // 2²⁵⁶ − 1 mod 7 is 2⁴ − 1 mod 7.
    assert_eq!(CoinValue([0xff; 32]).below(7), Some(1));
    assert_eq!(CoinValue([0xff; 32]).below(u16::MAX), Some(0));
}

#[test]
fn coin_combiner_waits_for_enough_right_shares() {
    let mut s = setup(3, 7);
    let coin = s.coin(0);
    let value = s.value(&coin, 0..3).unwrap();
    let mut toss = CoinCombiner::new(s.keys.clone(), coin.clone()).unwrap();
    let mut got = Vec::new();
    for (member, wrong) in [(6, true), (0, false), (5, true), (2, false), (2, false), (4, false), (1, false)]
    {
        let share =
            if wrong { s.signed_wrong_share(&coin, member) } else { s.share(&coin, usize::from(member)) };
        let step = toss.add(share, &mut s.cache).unwrap();
        let faults: Vec<_> = step.faults.iter().map(ShareFault::member).collect();
        got.push((member, step.output, faults));
    }
    let quiet = |member| (member, None, vec![]);
    assert_eq!(
        got,
        [quiet(6), quiet(0), (5, None, vec![5, 6]), quiet(2), quiet(2), (4, Some(value), vec![]), quiet(1)]
    );
    assert!(toss.is_done());
    let outside = setup(2, 9).share(&Coin::from_name(&setup(2, 9).keys, NAME).unwrap(), 8);
    let mut toss = CoinCombiner::new(s.keys.clone(), coin).unwrap();
    assert_eq!(toss.add(outside, &mut s.cache).err(), Some(Error::UnknownSigner { index: 8 }));
}

#[test]
fn a_share_is_valid_for_one_coin_only() {
    let mut s = setup(2, 4);
    let (coin, other) = (s.coin(0), s.coin(1));
    let share = s.share(&coin, 1);
    s.keys.verify_share(coin.instance(), &share).unwrap();
    let bad = Err(Error::BadShare { members: vec![1] });
    assert_eq!(s.keys.verify_share(other.instance(), &share), bad);
    let elsewhere =
        PublicKeys::deal(CommitteeId([8; 32]), Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    let theirs = Coin::from_name(&elsewhere.0, NAME).unwrap();
    let wrong = Some(Error::WrongContext { what: "committee" });
    assert_eq!(s.keys.verify_share(theirs.instance(), &share).err(), wrong);
    assert_eq!(s.shares[0].coin_share(&theirs, &mut s.rng).err(), wrong);
    assert_eq!(CoinCombiner::new(s.keys.clone(), theirs).err(), wrong);
    let of_other = s.share(&other, 0);
    let mixed = [
        s.keys.verify_share(coin.instance(), &share).unwrap(),
        s.keys.verify_share(other.instance(), &of_other).unwrap(),
    ];
    let mixed = coin.combine(&s.keys, &mixed, &mut s.cache);
    assert_eq!(mixed, Err(Error::WrongContext { what: "instance of a share" }));
}

/// Errors that cancel in the plain sum of shares, and in the sum with their Lagrange coefficients.
#[test]
fn wrong_shares_that_cancel_are_both_found() {
    let mut s = setup(2, 4);
    let coin = s.coin(0);
    let good: Vec<_> = (0..4).map(|member| s.share(&coin, member)).collect();
    let by = RistrettoPoint::mul_base(&Scalar::from(9u64));
    for factor in [1u64, 2, 3] {
        let pair = [moved(&good[0], by), moved(&good[1], -(Scalar::from(factor) * by)), good[2], good[3]];
        let checked = s.keys.verify_shares(coin.instance(), &pair).unwrap();
        assert_eq!(checked.faults.iter().map(ShareFault::member).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(checked.verified.len(), 2);
    }
    // Each other's shares.
    let mut swapped: Vec<_> = good[..2].iter().map(Encode::encode).collect();
    (swapped[0][0], swapped[1][0]) = (1, 0);
    let swapped: Vec<_> = swapped.iter().map(|bytes| CoinShare::decode(bytes, &()).unwrap()).collect();
    let checked = s.keys.verify_shares(coin.instance(), &swapped).unwrap();
    assert_eq!(checked.faults.iter().map(ShareFault::member).collect::<Vec<_>>(), [1, 0]);
    assert!(s.keys.verify_shares(coin.instance(), &[]).unwrap().verified.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn batch_finds_exactly_the_wrong_shares(
        wrong in proptest::collection::btree_set(0usize..60, 0..12), tables: bool, size in 1usize..60,
    ) {
        let mut s = setup(20, 60);
        if tables {
            s.keys = Arc::new(PublicKeys::decode(&s.keys.encode(), &()).unwrap().precomputed());
        }
        let coin = s.coin(0);
        let by = RistrettoPoint::mul_base(&Scalar::ONE);
        let shares: Vec<_> = (0..size).map(|member| {
            let share = s.share(&coin, member);
            if wrong.contains(&member) { moved(&share, by) } else { share }
        }).collect();
        let checked = s.keys.verify_shares(coin.instance(), &shares).unwrap();
        let found: Vec<_> = checked.faults.iter().map(|fault| usize::from(fault.member())).collect();
        prop_assert_eq!(&found, &wrong.iter().copied().filter(|m| *m < size).collect::<Vec<_>>());
        let left: Vec<_> = checked.verified.iter().map(|share| usize::from(share.member())).collect();
        prop_assert_eq!(left, (0..size).filter(|m| !wrong.contains(m)).collect::<Vec<_>>());
        for share in &shares {
            let alone = s.keys.verify_share(coin.instance(), share).is_ok();
            prop_assert_eq!(alone, !wrong.contains(&usize::from(share.member())));
        }
    }
}

#[test]
fn batch_may_contain_a_share_twice() {
    let mut s = setup(2, 4);
    s.keys = Arc::new(PublicKeys::decode(&s.keys.encode(), &()).unwrap().precomputed());
    let coin = s.coin(0);
    let (a, b) = (s.share(&coin, 1), s.share(&coin, 1));
    assert_ne!(a, b);
    let checked = s.keys.verify_shares(coin.instance(), &[a, b, moved(&a, base(&coin))]).unwrap();
    assert_eq!((checked.verified.len(), checked.faults.len()), (2, 1));
    let twice = coin.combine(&s.keys, &checked.verified, &mut s.cache);
    assert_eq!(twice, Err(Error::DuplicateSigner { index: 1 }));
}

#[test]
fn wrong_share_is_evidence_against_its_maker() {
    let mut s = setup(2, 4);
    let coin = s.coin(0);
    let wrong = s.signed_wrong_share(&coin, 2);
    let checked = s.keys.verify_shares(coin.instance(), &[wrong]).unwrap();
    let [ShareFault::Proven(evidence)] = checked.faults.as_slice() else { panic!("{checked:?}") };
    // A third party with nothing but the keys and the bytes.
    let keys = PublicKeys::decode(&s.keys.encode(), &()).unwrap();
    let bytes = evidence.encode();
    assert_eq!(bytes.len(), 194);
    assert_eq!(WrongShare::decode(&bytes, &()).unwrap().verify(&keys), Ok(2));

    let refused = |bytes: &[u8]| WrongShare::decode(bytes, &()).unwrap().verify(&keys).unwrap_err();
    // A right share; another member's share; a wrong share that the member did not make; another context.
    let right = [&bytes[..64], &s.share(&coin, 2).encode()].concat();
    let right = [&base(&coin).compress().as_bytes()[..], &coin.instance().id(), &right[64..]].concat();
    assert_eq!(refused(&right), Error::NotEvidence, "a right share");
    let edited = |at: usize, to: u8| {
        let mut edited = bytes.clone();
        edited[at] = to;
        edited
    };
    assert_eq!(refused(&edited(64, 3)), Error::NotEvidence, "another member");
    assert_eq!(refused(&edited(64, 4)), Error::UnknownSigner { index: 4 });
    assert_eq!(refused(&edited(32, bytes[32] ^ 1)), Error::NotEvidence, "another context");
    let other_base = [s.keys.key().as_bytes(), &bytes[32..]].concat();
    assert_eq!(refused(&other_base), Error::NotEvidence, "a base that the member did not answer for");
    let framed = moved(&s.share(&coin, 1), RistrettoPoint::mul_base(&Scalar::ONE));
    let framing = [&bytes[..64], &framed.encode()].concat();
    assert_eq!(refused(&framing), Error::NotEvidence, "a good proof with another point");
    let checked = s.keys.verify_shares(coin.instance(), &[framed]).unwrap();
    assert_eq!(checked.faults, [ShareFault::Forged { share: Box::new(framed) }]);
    let (others, _) = PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(evidence.verify(&others), Err(Error::NotEvidence), "other keys");
}

#[test]
fn inconsistent_keys_are_refused() {
    let s = setup(3, 6);
    let bytes = s.keys.encode();
    assert_eq!(PublicKeys::decode(&bytes, &()).unwrap().encode(), bytes);
    let decode = |bytes: &[u8]| PublicKeys::decode(bytes, &()).err().map(|error| error.code());
    let edited = |at: usize, piece: &[u8]| {
        let mut edited = bytes.clone();
        edited[at..at + piece.len()].copy_from_slice(piece);
        edited
    };
    let member = |i: usize| 69 + 32 * i;
    assert_eq!(decode(&edited(65, &[2])), Some("BAD_COMMITTEE"), "a threshold below the dealt one");
    assert_eq!(decode(&edited(65, &[0])), Some("BAD_COMMITTEE"));
    assert_eq!(decode(&edited(65, &[7])), Some("BAD_COMMITTEE"));
    assert_eq!(decode(&edited(65, &[4])), None, "a higher threshold is accepted");
    let swapped = edited(member(1), &[&bytes[member(2)..member(3)], &bytes[member(1)..member(2)]].concat());
    assert_eq!(decode(&swapped), Some("BAD_COMMITTEE"), "two members swapped");
    assert_eq!(decode(&edited(member(5), s.keys.key().as_bytes())), Some("BAD_COMMITTEE"));
    assert_eq!(decode(&edited(33, &bytes[member(0)..member(1)])), Some("BAD_COMMITTEE"), "another H");
    assert_eq!(decode(&edited(member(5), &[0; 32])), Some("INFINITY"));
    assert_eq!(decode(&edited(member(5), &[1; 32])), Some("NON_CANONICAL"));
    assert_eq!(decode(&edited(67, &[7])), Some("MALFORMED"), "a key is missing");
    assert_eq!(decode(&edited(67, &[0xff, 0xff])), Some("BAD_COMMITTEE"), "more members than allowed");
    assert_eq!(decode(&edited(67, &[5])), Some("MALFORMED"), "a key too many");
    assert_eq!(decode(&edited(0, &[1])), Some("WRONG_CONTEXT"), "for encryption");
    for (needed, parties) in [(1, 1), (1, 4), (4, 4), (34, 100)] {
        let s = setup(needed, parties);
        assert!(PublicKeys::decode(&s.keys.encode(), &()).is_ok(), "{needed} of {parties}");
    }
}

#[test]
fn key_share_is_checked_on_receipt() {
    let mut s = setup(2, 4);
    let bytes = s.shares[1].to_bytes();
    assert_eq!(bytes.len(), KeyShare::LEN);
    let read = |bytes: &[u8]| KeyShare::from_bytes(bytes);
    let again = read(&*bytes).unwrap();
    again.check(&s.keys).unwrap();
    assert_eq!((again.member(), &*again.to_bytes()), (1, &*bytes));
    let edited = |at: usize, to: &[u8]| {
        let mut edited = bytes.to_vec();
        edited[at..at + to.len()].copy_from_slice(to);
        edited
    };
    let check = |bytes: &[u8], keys: &PublicKeys| read(bytes).unwrap().check(keys).err();
    assert_eq!(check(&edited(65, &[2]), &s.keys), Some(Error::BadShare { members: vec![2] }));
    assert_eq!(check(&edited(65, &[4]), &s.keys), Some(Error::UnknownSigner { index: 4 }));
    assert_eq!(check(&edited(67, &[1; 31]), &s.keys), Some(Error::BadShare { members: vec![1] }));
    assert_eq!(check(&edited(1, &[9; 32]), &s.keys), Some(Error::WrongContext { what: "committee" }));
    let (others, _) = PublicKeys::deal(COMMITTEE, Threshold::new(2, 4).unwrap(), &mut s.rng).unwrap();
    assert_eq!(check(&bytes[..], &others), Some(Error::WrongContext { what: "key" }));
    let refused = |bytes: &[u8]| read(bytes).err().map(|error| error.code());
    assert_eq!(refused(&edited(67, &[0; 32])), Some("INFINITY"));
    assert_eq!(refused(&edited(67, &[0xff; 32])), Some("NON_CANONICAL"));
    assert_eq!(refused(&edited(0, &[1])), Some("WRONG_CONTEXT"));
    assert_eq!(refused(&bytes[..98]), Some("MALFORMED"));
    assert_eq!(refused(&[&bytes[..], &[0]].concat()), Some("MALFORMED"));
    assert!(!format!("{again:?}").contains(&hex::encode(&bytes[67..75])), "a secret is printed");
}
