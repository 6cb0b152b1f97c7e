//! Threshold encryption and the coin: all decoders, and collectors with arbitrary shares in any order.

use std::sync::{Arc, LazyLock};

use quorate::committee::CommitteeId;
use quorate::threshold::coin::{Coin, CoinCombiner, CoinName, CoinValue, CommonCoin};
use quorate::threshold::dleq::{Instance, KeyShare, PublicKeys, Purpose, Share, ShareFault, WrongShare};
use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, Header, Label, Tdh2, ValidCiphertext};
use quorate::threshold::{Threshold, lagrange};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::identity;
use crate::mutate::Rng;
use crate::seeds::from_vectors;

const NEEDED: usize = 3;
const PARTIES: usize = 7;
const EPOCH: u64 = 12;
const PROPOSER: u16 = 3;
const PLAINTEXT: &[u8] = b"pay 5 to Bob";
const NAME: CoinName = CoinName { protocol: 1, epoch: EPOCH, instance: 3, round: 0 };

/// A committee's keys, and every member's share of two instances.
struct Fixture<P: Purpose> {
    keys: Arc<PublicKeys<P>>,
    key_share: Vec<u8>,
    instance: Instance<P>,
    shares: Vec<Share<P>>,
    others: Vec<Share<P>>,
}

struct All {
    tdh2: Fixture<Tdh2>,
    key: EncryptionKey,
    ciphertext: ValidCiphertext,
    coin: Fixture<CommonCoin>,
    tossed: Coin,
    value: CoinValue,
}

#[allow(clippy::expect_used, clippy::indexing_slicing)] // the fixture is the same on every run
static FIXTURE: LazyLock<All> = LazyLock::new(|| {
    let mut rng = StdRng::seed_from_u64(5);
    let committee = CommitteeId([5; 32]);
    let threshold = Threshold::new(NEEDED as u16, PARTIES as u16).expect("3 of 7");

    let (keys, secrets) = PublicKeys::<Tdh2>::deal(committee, threshold, &mut rng).expect("keys");
    let key = EncryptionKey::from_public_keys(&keys);
    let mut encrypt = || {
        let ciphertext = key.encrypt(EPOCH, PROPOSER, PLAINTEXT, &mut rng).expect("a ciphertext");
        ciphertext.check(&key, EPOCH, PROPOSER).expect("a valid one")
    };
    let (ciphertext, other) = (encrypt(), encrypt());
    let mut shares = |of: &ValidCiphertext| {
        secrets.iter().map(|s| s.decryption_share(of, &mut rng).expect("a share")).collect()
    };
    let tdh2 = Fixture {
        keys: Arc::new(keys),
        key_share: secrets[0].to_bytes().to_vec(),
        instance: ciphertext.instance().clone(),
        shares: shares(&ciphertext),
        others: shares(&other),
    };

    let (keys, secrets) = PublicKeys::<CommonCoin>::deal(committee, threshold, &mut rng).expect("keys");
    let [tossed, other] =
        [NAME, CoinName { round: 1, ..NAME }].map(|name| Coin::from_name(&keys, name).expect("a coin"));
    let mut shares =
        |of: &Coin| secrets.iter().map(|s| s.coin_share(of, &mut rng).expect("a share")).collect::<Vec<_>>();
    let coin = Fixture {
        shares: shares(&tossed),
        others: shares(&other),
        keys: Arc::new(keys),
        key_share: secrets[0].to_bytes().to_vec(),
        instance: tossed.instance().clone(),
    };
    let verified = coin.keys.verify_shares(&coin.instance, &coin.shares).expect("members").verified;
    let value = tossed.combine(&coin.keys, &verified, &mut lagrange::Cache::default()).expect("a value");
    All { tdh2, key, ciphertext, coin, tossed, value }
});

/// All encodings: decoded values encode to the same bytes, and forgeries are invalid.
pub(crate) fn decoders(bytes: &[u8]) {
    decode_as(bytes, &FIXTURE.tdh2);
    decode_as(bytes, &FIXTURE.coin);
    identity::<Label, ()>(bytes, &());
    identity::<Header, ()>(bytes, &());
    identity::<CoinName, ()>(bytes, &());
    identity::<EncryptionKey, ()>(bytes, &());
    if let Some(ciphertext) = identity::<Ciphertext, ()>(bytes, &()) {
        let valid = ciphertext.check(&FIXTURE.key, EPOCH, PROPOSER);
        assert!(valid.is_err() || valid.as_ref() == Ok(&FIXTURE.ciphertext), "a forgery is valid");
    }
}

fn decode_as<P: Purpose>(bytes: &[u8], made: &Fixture<P>) {
    identity::<PublicKeys<P>, ()>(bytes, &());
    if let Ok(share) = KeyShare::<P>::from_bytes(bytes) {
        assert_eq!(share.to_bytes().as_slice(), bytes);
        assert!(share.check(&made.keys).is_err() || bytes == made.key_share);
    }
    if let Some(share) = identity::<Share<P>, ()>(bytes, &()) {
        let verified = made.keys.verify_share(&made.instance, &share).is_ok();
        assert_eq!(verified, made.shares.contains(&share));
    }
    if let Some(evidence) = identity::<WrongShare<P>, ()>(bytes, &()) {
        assert!(evidence.verify(&made.keys).is_err(), "all members are honest");
    }
}

/// Seeds of [`decoders`].
pub(crate) fn decoder_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<P: Purpose>(made: &Fixture<P>) -> Vec<Vec<u8>> {
        let share = made.shares.first().map(Encode::encode).unwrap_or_default();
        let context = [made.instance.base().as_bytes().as_slice(), &made.instance.id()].concat();
        let evidence = [context, share.clone()].concat();
        vec![made.keys.encode(), made.key_share.clone(), share, evidence]
    }
    let mut seeds = [seeds_for(&FIXTURE.tdh2), seeds_for(&FIXTURE.coin)].concat();
    let ciphertext = FIXTURE.ciphertext.clone().into_inner();
    seeds.extend([FIXTURE.key.encode(), ciphertext.header().encode(), ciphertext.header().label.encode()]);
    seeds.extend([ciphertext.encode(), NAME.encode()]);
    // Lengths of the decoded values.
    let lengths = [25, 65, 74, 99, 130, 194, 234];
    seeds.extend(from_vectors().iter().filter(|seed| lengths.contains(&seed.len())).cloned());
    seeds
}

/// A decryption and a coin toss that receive shares; two bytes per step choose the member and the defect. They produce the
/// plaintext and the members' value, and no other result, as soon as there are enough valid shares; and no honest member
/// is proven faulty.
#[allow(clippy::expect_used)] // the fixture is the same on every run
pub(crate) fn collectors(bytes: &[u8]) {
    let mut decryption =
        Decryption::new(FIXTURE.tdh2.keys.clone(), FIXTURE.ciphertext.clone()).expect("its own keys");
    let mut cache = lagrange::Cache::default();
    collect(bytes, &FIXTURE.tdh2, |share| {
        let got = decryption.add(share, &mut cache).ok()?;
        let opened = got.output.map(|output| assert_eq!(output.as_deref(), Ok(PLAINTEXT)));
        Some((opened.is_some(), got.faults))
    });
    let mut toss =
        CoinCombiner::new(FIXTURE.coin.keys.clone(), FIXTURE.tossed.clone()).expect("its own keys");
    collect(bytes, &FIXTURE.coin, |share| {
        let got = toss.add(share, &mut cache).ok()?;
        let opened = got.output.map(|value| assert_eq!(value, FIXTURE.value));
        Some((opened.is_some(), got.faults))
    });
}

fn collect<P: Purpose>(
    bytes: &[u8],
    made: &Fixture<P>,
    mut add: impl FnMut(Share<P>) -> Option<(bool, Vec<ShareFault<P>>)>,
) {
    // The members in whose names invalid shares were added, and those whose last share was valid.
    let (mut spoilt, mut good, mut done) = ([false; PARTIES], [false; PARTIES], false);
    for step in bytes.chunks_exact(2).take(40) {
        let &[selector, what] = step else { return };
        let Some((share, right)) = share_in(made, usize::from(selector), what) else { continue };
        let member = usize::from(share.member());
        let Some((opened, faults)) = add(share) else {
            assert!(member >= PARTIES, "a member's share was refused");
            continue;
        };
        // Shares after the result are ignored.
        assert!(member < PARTIES || done, "a non-member's share was accepted");
        good.iter_mut().skip(member).take(1).for_each(|good| *good |= right);
        spoilt.iter_mut().skip(member).take(1).for_each(|spoilt| *spoilt |= !right);
        for fault in faults {
            assert!(matches!(fault, ShareFault::Forged { .. }), "all members are honest");
            assert!(spoilt.get(usize::from(fault.member())) == Some(&true), "an honest member is blamed");
        }
        assert!(!(opened && done), "decrypted twice");
        done |= opened;
        // The collector may check two shares of one member in any order.
        let unspoilt = good.iter().zip(&spoilt).filter(|(good, spoilt)| **good && !**spoilt).count();
        assert!(done || unspoilt < NEEDED, "no result from enough valid shares");
    }
}

/// A share, and whether it is the member's own of this instance.
fn share_in<P: Purpose>(made: &Fixture<P>, selector: usize, what: u8) -> Option<(Share<P>, bool)> {
    let (share, other) = (made.shares.get(selector % PARTIES)?, made.others.get(selector % PARTIES)?);
    let mut bytes = share.encode();
    let field = |bytes: &mut Vec<u8>, from: &[u8], at: usize| {
        bytes.splice(at..at + 32, from.iter().skip(at).take(32).copied());
    };
    match what % 8 {
        0..=2 => return Some((*share, true)),
        3 => return Some((*other, false)),
        4 => bytes.splice(0..2, u16::from(what / 8).to_le_bytes()).for_each(drop),
        5 => field(&mut bytes, &made.shares.get(usize::from(what / 8) % PARTIES)?.encode(), 2),
        6 => field(&mut bytes, &other.encode(), 2 + 32 * (usize::from(what / 8) % 4)),
        _ => *bytes.get_mut(2 + usize::from(what / 8) * 4)? ^= 2,
    }
    let changed = Share::decode(&bytes, &()).ok()?;
    Some((changed, changed == *share))
}

/// Seeds of [`collectors`].
pub(crate) fn collector_seeds() -> Vec<Vec<u8>> {
    let mut rng = Rng::new(2);
    (0..24).map(|_| (0..2 * (4 + rng.below(30))).map(|_| rng.bits() as u8).collect()).collect()
}
