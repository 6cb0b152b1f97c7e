//! The two ends of Figure 10's pipeline: the signer and the verifier.

use std::collections::VecDeque;

use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use quorate::dsig::{
    Batch, DsigSuite, Signature, Signer, SignerConfig, VerifiedAnnouncement, Verifier, VerifierConfig,
};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The signing end, on one core.
pub(super) trait Signs: Send {
    /// Signs a message and returns the encoded signature.
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>>;
    /// Does some background work, if there is any, and returns the announcement.
    fn work(&mut self, now: Time) -> Result<Option<Vec<u8>>>;
    /// Returns true if signing needs more background work first.
    fn is_out(&self) -> bool;
}

/// The verifying end, on another core.
pub(super) trait Verifies: Send {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()>;
    /// Receives an announcement of the signer.
    fn hear(&mut self, announcement: &[u8], now: Time) -> Result<()>;
}

/// Both ends.
pub(super) struct Sides {
    pub(super) signer: Box<dyn Signs>,
    pub(super) verifier: Box<dyn Verifies>,
}

/// EdDSA, without preparation.
pub(super) fn eddsa() -> Sides {
    let secret = SigningKey::from_bytes(&[10; 32]);
    let verifier = EddsaVerifier(secret.verifying_key());
    Sides { signer: Box::new(EddsaSigner(secret)), verifier: Box::new(verifier) }
}

/// Each side does all its work on one core; the background work runs when nothing else is due.
pub(super) fn one_core<S: DsigSuite>() -> Result<Sides> {
    let mut rng = StdRng::seed_from_u64(10);
    let mut signer = new_signer::<S>(&mut rng, STOCK)?;
    let mut verifier = Known::<S>::new(&signer);
    while let Some(made) = signer.prepare(&mut rng, START)? {
        verifier.hear(&made.announcement.encode(), START)?;
    }
    Ok(Sides { signer: Box::new(OneCore { signer, rng }), verifier: Box::new(verifier) })
}

/// The foreground planes alone, as if the background planes had their own cores: that work is done beforehand for the
/// number of signatures, and its results are passed in when they are due.
pub(super) fn own_cores<S: DsigSuite>(signatures: usize) -> Result<Sides> {
    // A batch reveals its announcement only when its signer accepts it, so a twin with the same generator provides it.
    let (mut rng, mut twins_rng) = (StdRng::seed_from_u64(11), StdRng::seed_from_u64(11));
    let mut signer = new_signer::<S>(&mut rng, usize::MAX)?;
    let mut twin = new_signer::<S>(&mut twins_rng, usize::MAX)?;
    let mut known = Known::new(&signer);
    let (mut batches, mut checked) = (VecDeque::new(), VecDeque::new());
    for _ in 0..signatures.div_ceil(1 << LOG2_BATCH) {
        let plan = signer.plan(&mut rng, START)?.ok_or(Error::Exhausted)?;
        batches.push_back(plan.make()?);
        let made = twin.prepare(&mut twins_rng, START)?.ok_or(Error::Exhausted)?;
        let admitted = known.verifier.admit_announcement(&known.signer, START)?;
        checked.push_back(admitted.check(&made.announcement.encode())?);
    }
    Ok(Sides {
        signer: Box::new(OwnCore { signer, batches }),
        verifier: Box::new(Prepared { known, checked }),
    })
}

const START: Time = Time(0);
/// The paper's 128 keys.
const LOG2_BATCH: u8 = 7;
/// Number of keys that are prepared if there is time.
const STOCK: usize = 512;

fn new_signer<S: DsigSuite>(rng: &mut StdRng, low_water: usize) -> Result<Signer<S>> {
    let config = SignerConfig { log2_batch: LOG2_BATCH, low_water, ..SignerConfig::default() };
    Signer::new(Ed25519::generate(rng)?, vec![], config, rng)
}

struct EddsaSigner(SigningKey);

impl Signs for EddsaSigner {
    fn sign(&mut self, message: &[u8], _now: Time) -> Result<Vec<u8>> {
        Ok(self.0.sign(message).to_bytes().to_vec())
    }

    fn work(&mut self, _now: Time) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn is_out(&self) -> bool {
        false
    }
}

struct EddsaVerifier(VerifyingKey);

impl Verifies for EddsaVerifier {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        let signature = ed25519_dalek::Signature::from_slice(signature).ok();
        let verdict = signature.and_then(|signature| self.0.verify_strict(message, &signature).ok());
        verdict.ok_or(Error::BadSignature { signers: vec![] })
    }

    fn hear(&mut self, _announcement: &[u8], _now: Time) -> Result<()> {
        Ok(())
    }
}

struct OneCore<S: DsigSuite> {
    signer: Signer<S>,
    rng: StdRng,
}

impl<S: DsigSuite> Signs for OneCore<S> {
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        Ok(self.signer.sign(message, &[], now)?.encode())
    }

    fn work(&mut self, now: Time) -> Result<Option<Vec<u8>>> {
        Ok(self.signer.prepare(&mut self.rng, now)?.map(|made| made.announcement.encode()))
    }

    fn is_out(&self) -> bool {
        self.signer.ready() == 0
    }
}

struct OwnCore<S: DsigSuite> {
    signer: Signer<S>,
    batches: VecDeque<Batch<S>>,
}

impl<S: DsigSuite> Signs for OwnCore<S> {
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        Ok(self.signer.sign(message, &[], now)?.encode())
    }

    fn work(&mut self, _now: Time) -> Result<Option<Vec<u8>>> {
        let next = if self.is_out() { self.batches.pop_front() } else { None };
        let next = next.and_then(|batch| self.signer.add(batch));
        // The other side already has the content; it only needs the time.
        Ok(next.map(|_| Vec::new()))
    }

    fn is_out(&self) -> bool {
        self.signer.ready() == 0
    }
}

struct Known<S: DsigSuite> {
    verifier: Verifier<S>,
    signer: PublicKey,
}

impl<S: DsigSuite> Known<S> {
    /// A verifier that knows this signer, and stores all announcements in transit.
    fn new(signer: &Signer<S>) -> Self {
        let (announced, burst) = (32, u32::MAX);
        let mut verifier = Verifier::new(VerifierConfig { announced, burst, ..VerifierConfig::default() });
        let signer = signer.public_key().clone();
        verifier.admit(signer.clone());
        Self { verifier, signer }
    }
}

impl<S: DsigSuite> Verifies for Known<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        let signature = Signature::<S>::decode(signature, &())?;
        // Otherwise another operation would be measured.
        if !self.verifier.can_verify_fast(&self.signer, &signature) {
            return Err(Error::WrongContext { what: "announcement" });
        }
        self.verifier.verify(&self.signer, message, &signature)
    }

    fn hear(&mut self, announcement: &[u8], now: Time) -> Result<()> {
        self.verifier.announce(&self.signer, announcement, now)
    }
}

struct Prepared<S: DsigSuite> {
    known: Known<S>,
    checked: VecDeque<VerifiedAnnouncement<S>>,
}

impl<S: DsigSuite> Verifies for Prepared<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.known.verify(message, signature)
    }

    fn hear(&mut self, _announcement: &[u8], _now: Time) -> Result<()> {
        match self.checked.pop_front() {
            Some(checked) => self.known.verifier.learn(checked),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use quorate::dsig::WotsHaraka256;

    use super::*;

    #[test]
    fn all_sides_sign_and_verify_more_than_one_batch() {
        let sides =
            [eddsa(), one_core::<WotsHaraka256>().unwrap(), own_cores::<WotsHaraka256>(1000).unwrap()];
        for Sides { mut signer, mut verifier } in sides {
            for number in 0..1000u64 {
                let now = Time(number);
                if signer.is_out() {
                    let announcement = signer.work(now).unwrap().unwrap();
                    verifier.hear(&announcement, now).unwrap();
                }
                let signature = signer.sign(&number.to_le_bytes(), now).unwrap();
                verifier.verify(&number.to_le_bytes(), &signature).unwrap();
                assert!(verifier.verify(b"another", &signature).is_err());
            }
        }
    }

    #[test]
    fn an_unannounced_signature_is_an_error() {
        let Sides { mut signer, .. } = one_core::<WotsHaraka256>().unwrap();
        let Sides { mut verifier, .. } = own_cores::<WotsHaraka256>(1).unwrap();
        let signature = signer.sign(b"m", START).unwrap();
        assert!(verifier.verify(b"m", &signature).is_err());
    }
}
