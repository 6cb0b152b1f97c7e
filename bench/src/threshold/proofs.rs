//! Costs of threshold encryption and the coin, measured alternately with Ed25519, with tables of long-lived points and
//! without.

use std::hint::black_box;

use quorate::committee::CommitteeId;
use quorate::threshold::coin::{self, Coin, CoinName, CoinShare};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::tdh2::{self, Ciphertext, DecryptionShare, EncryptionKey};
use quorate::threshold::{Threshold, dleq};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::results::PARTIES;
use crate::certificates::SingleEd;
use crate::sampling::{Case, SamplePlan, medians};

/// The plaintext: one of the paper's transactions.
const PLAINTEXT: [u8; 250] = [7; 250];
const EPOCH: u64 = 12;
const PROPOSER: u16 = 3;
const COIN: CoinName = CoinName { protocol: 1, epoch: EPOCH, instance: 3, round: 0 };

/// Nanoseconds of each operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    /// One `verify_strict` of ed25519-dalek, measured alternately.
    pub(super) ed: f64,
    /// Only of encryption.
    pub(super) encrypt: f64,
    /// Only of encryption: whether a ciphertext is valid.
    pub(super) check: f64,
    /// All work of a member for a share, including the check of the ciphertext or the hash of the coin's name.
    pub(super) share: f64,
    /// Verification of one share.
    pub(super) verify: f64,
    /// Verification per share, of t together.
    pub(super) verify_batched: f64,
    /// The same, including decoding.
    pub(super) decode_and_verify: f64,
    /// Combining t verified shares, with members that are not cached.
    pub(super) combine: f64,
    /// The same with cached members.
    pub(super) combine_known: f64,
}

/// Threshold encryption, with tables of long-lived points or without.
pub(super) fn tdh2(care: SamplePlan, needed: u16, tables: bool) -> Result<Costs> {
    let (mut rng, mut other_rng) = (StdRng::seed_from_u64(1), StdRng::seed_from_u64(2));
    let (keys, secrets) =
        tdh2::PublicKeys::deal(CommitteeId([7; 32]), Threshold::new(needed, PARTIES)?, &mut rng)?;
    let mut key = EncryptionKey::from_public_keys(&keys);
    let keys = if tables { keys.precomputed() } else { keys };
    if tables {
        key = key.precomputed();
    }
    let ciphertext = key.encrypt(EPOCH, PROPOSER, &PLAINTEXT, &mut rng)?;
    let valid = ciphertext.clone().check(&key, EPOCH, PROPOSER)?;
    let shares = secrets
        .iter()
        .take(needed.into())
        .map(|secret| secret.decryption_share(&valid, &mut rng))
        .collect::<Result<Vec<DecryptionShare>>>()?;
    let verified = all_verified(keys.verify_shares(valid.instance(), &shares)?)?;
    let mine = secrets.first().ok_or(Error::Exhausted)?;
    let check = |ciphertext: &Ciphertext| ciphertext.clone().check(&key, EPOCH, PROPOSER);
    let opens = |cache: &mut Cache<_>| {
        assert!(valid.combine(&keys, &verified, cache).is_ok_and(|plaintext| plaintext == PLAINTEXT));
    };
    let (single, mut cache) = (SingleEd::new(), Cache::default());
    let mut cases = vec![
        Case::new(|| single.verify()),
        Case::new(|| key.encrypt(EPOCH, PROPOSER, black_box(&PLAINTEXT), &mut rng)),
        Case::new(|| assert!(check(&ciphertext).is_ok())),
        Case::new(|| {
            let share = check(&ciphertext).and_then(|valid| mine.decryption_share(&valid, &mut other_rng));
            assert!(share.is_ok());
        }),
    ];
    cases.extend(verification(&keys, valid.instance(), &shares)?);
    cases.push(Case::new(|| opens(&mut Cache::default())));
    cases.push(Case::new(|| opens(&mut cache)));
    let times = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 9]);
    let [ed, encrypt, check, share, verify, batch, bytes, combine, combine_known] = times;
    let each = f64::from(needed);
    let (verify_batched, decode_and_verify) = (batch / each, bytes / each);
    Ok(Costs { ed, encrypt, check, share, verify, verify_batched, decode_and_verify, combine, combine_known })
}

/// The common coin.
pub(super) fn coin(care: SamplePlan, needed: u16, tables: bool) -> Result<Costs> {
    let mut rng = StdRng::seed_from_u64(1);
    let (keys, secrets) =
        coin::PublicKeys::deal(CommitteeId([7; 32]), Threshold::new(needed, PARTIES)?, &mut rng)?;
    let keys = if tables { keys.precomputed() } else { keys };
    let coin = Coin::from_name(&keys, COIN)?;
    let shares = secrets
        .iter()
        .take(needed.into())
        .map(|secret| secret.coin_share(&coin, &mut rng))
        .collect::<Result<Vec<CoinShare>>>()?;
    let verified = all_verified(keys.verify_shares(coin.instance(), &shares)?)?;
    let mine = secrets.first().ok_or(Error::Exhausted)?;
    let (single, mut cache) = (SingleEd::new(), Cache::default());
    let mut cases = vec![
        Case::new(|| single.verify()),
        Case::new(|| {
            let share =
                Coin::from_name(&keys, black_box(COIN)).and_then(|coin| mine.coin_share(&coin, &mut rng));
            assert!(share.is_ok());
        }),
    ];
    cases.extend(verification(&keys, coin.instance(), &shares)?);
    cases.push(Case::new(|| assert!(coin.combine(&keys, &verified, &mut Cache::default()).is_ok())));
    cases.push(Case::new(|| assert!(coin.combine(&keys, &verified, &mut cache).is_ok())));
    let times = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 7]);
    let [ed, share, verify, batch, bytes, combine, combine_known] = times;
    let each = f64::from(needed);
    let (verify_batched, decode_and_verify) = (batch / each, bytes / each);
    Ok(Costs {
        ed,
        share,
        verify,
        verify_batched,
        decode_and_verify,
        combine,
        combine_known,
        ..Costs::default()
    })
}

/// One share, all of them together, and all of them from bytes.
fn verification<'a, P: dleq::Purpose>(
    keys: &'a dleq::PublicKeys<P>,
    instance: &'a dleq::Instance<P>,
    shares: &'a [dleq::Share<P>],
) -> Result<[Case<'a>; 3]> {
    let first = shares.first().ok_or(Error::Exhausted)?;
    let bytes: Vec<Vec<u8>> = shares.iter().map(Encode::encode).collect();
    let good = |shares: &[dleq::Share<P>]| {
        let checked = keys.verify_shares(instance, shares);
        assert!(checked.is_ok_and(|checked| checked.faults.is_empty()));
    };
    Ok([
        Case::new(|| assert!(keys.verify_share(instance, first).is_ok())),
        Case::new(move || good(shares)),
        Case::new(move || {
            let decoded = bytes.iter().map(|bytes| dleq::Share::decode(bytes, &()));
            let decoded = decoded.collect::<Result<Vec<_>>>();
            assert!(decoded.is_ok());
            good(&decoded.unwrap_or_default());
        }),
    ])
}

fn all_verified<P: dleq::Purpose>(checked: dleq::Checked<P>) -> Result<Vec<dleq::VerifiedShare<P>>> {
    if checked.faults.is_empty() {
        Ok(checked.verified)
    } else {
        Err(Error::BadShare { members: checked.faults.iter().map(dleq::ShareFault::member).collect() })
    }
}
