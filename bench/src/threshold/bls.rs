//! Costs of BLS threshold signatures, which the paper's ECDSA replaces, measured alternately with Ed25519.

use std::collections::BTreeSet;
use std::hint::black_box;

use quorate::bls::Fr;
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::bls::{BlsScheme, KeyShare, SignatureShare, Signing, deal};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::{Agreement, Combiner, Tolerance};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::blame::MESSAGE;
use super::results::{Basics, Combined, PARTIES};
use crate::certificates::SingleEd;
use crate::sampling::{Case, SamplePlan, medians};

/// The parties of a key, and their shares.
struct Shares<V: BlsScheme> {
    parties: Vec<KeyShare<V>>,
    right: Vec<SignatureShare<V>>,
}

impl<V: BlsScheme> Shares<V> {
    fn new(parties: u16, faulty: u16, agreement: Agreement) -> Result<Self> {
        let tolerance = Tolerance::new(parties, faulty)?;
        let mut rng = StdRng::seed_from_u64(parties.into());
        let parties = deal::<V, _>(CommitteeId([7; 32]), tolerance, agreement, &mut rng)?;
        let right = parties.iter().map(|party| party.sign(&MESSAGE)).collect();
        Ok(Self { parties, right })
    }

    fn party(&self) -> Result<&KeyShare<V>> {
        self.parties.first().ok_or(Error::Exhausted)
    }

    fn needed(&self) -> Result<usize> {
        Ok(self.party()?.key().threshold().needed().into())
    }

    fn combiner(&self) -> Result<Combiner<Signing<V>>> {
        Ok(Combiner::new(Signing::new(self.party()?.key().clone(), &MESSAGE)))
    }

    fn sign(&self, cache: &mut Cache<Fr>) -> Result<V::Signature> {
        let mut combiner = self.combiner()?;
        for share in self.right.iter().take(self.needed()?) {
            let _ = combiner.add(cache, share.member(), share.clone())?;
        }
        combiner.signature().cloned().ok_or(Error::BadSignature { signers: vec![] })
    }

    /// The first f shares are their neighbours'.
    fn with_wrong(&self) -> Result<(u16, Vec<SignatureShare<V>>)> {
        let faulty = self.party()?.key().tolerance().faulty();
        let mut all = self.right.clone();
        for (member, (share, other)) in (0..faulty).zip(all.iter_mut().zip(self.right.iter().skip(1))) {
            let mut bytes = other.encode();
            let place = bytes.iter_mut().skip(1);
            place.zip(member.to_le_bytes()).for_each(|(to, from)| *to = from);
            *share = SignatureShare::decode(&bytes, &())?;
        }
        Ok((faulty, all))
    }

    /// Until the signature is there. Returns how many shares were checked.
    fn blame(&self, faulty: u16, shares: &[SignatureShare<V>]) -> Result<usize> {
        let (mut combiner, mut cache) = (self.combiner()?, Cache::default());
        let mut culprits = BTreeSet::new();
        for share in shares {
            let outcome = combiner.add(&mut cache, share.member(), share.clone())?;
            culprits.extend(outcome.faults.iter().map(|fault| fault.culprit));
            if outcome.signature.is_some() {
                break;
            }
        }
        let checks = combiner.counts().share_checks;
        let named = culprits.into_iter().eq(0..faulty) && combiner.signature().is_some();
        if named && checks <= self.needed()? + usize::from(faulty) {
            Ok(checks)
        } else {
            Err(Error::BadShare { members: (0..faulty).collect::<Vec<MemberIndex>>() })
        }
    }
}

/// Signing and verifying.
pub(super) fn basics<V: BlsScheme>(care: SamplePlan) -> Result<Basics> {
    let shares = Shares::<V>::new(4, 1, Agreement::Agreed)?;
    let party = shares.party()?;
    let signature = shares.sign(&mut Cache::default())?;
    let single = SingleEd::new();
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| party.sign(black_box(&MESSAGE))),
        Case::new(|| assert!(V::verify(party.key().public(), &MESSAGE, black_box(&signature)).is_ok())),
    ];
    let [ed, sign, verify] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 3]);
    Ok(Basics { ed, sign, sign_recorded: None, verify })
}

/// From t right shares to a verified signature.
pub(super) fn combined<V: BlsScheme>(
    care: SamplePlan,
    parties: u16,
    faulty: u16,
    agreement: Agreement,
) -> Result<Combined> {
    let shares = Shares::<V>::new(parties, faulty, agreement)?;
    let party = shares.party()?;
    let signature = shares.sign(&mut Cache::default())?;
    let single = SingleEd::new();
    let mut cache = Cache::default();
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| assert!(shares.sign(&mut Cache::default()).is_ok())),
        Case::new(|| assert!(shares.sign(&mut cache).is_ok())),
        Case::new(|| assert!(V::verify(party.key().public(), &MESSAGE, black_box(&signature)).is_ok())),
    ];
    let [ed, new_set, known_set, verify] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 4]);
    Ok(Combined { needed: shares.needed()?, ed, new_set, known_set, verify })
}

/// The same with f wrong shares first: nanoseconds of it and of one Ed25519 verification, and the share checks.
pub(super) fn blamed<V: BlsScheme>(care: SamplePlan, faulty: u16) -> Result<(f64, f64, usize)> {
    let shares = Shares::<V>::new(PARTIES, faulty, Agreement::Agreed)?;
    let (faulty, all) = shares.with_wrong()?;
    let checks = shares.blame(faulty, &all)?;
    let single = SingleEd::new();
    let mut cases =
        [Case::new(|| single.verify()), Case::new(|| assert!(shares.blame(faulty, &all).is_ok()))];
    let [ed, time] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 2]);
    Ok((time, ed, checks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::bls::MinSig;

    #[test]
    fn invalid_shares_are_identified() {
        let shares = Shares::<MinSig>::new(7, 2, Agreement::Agreed).unwrap();
        let (faulty, all) = shares.with_wrong().unwrap();
        assert_eq!(shares.blame(faulty, &all), Ok(3));
        assert!(shares.blame(faulty, &shares.right).is_err(), "all shares were valid");
    }
}
