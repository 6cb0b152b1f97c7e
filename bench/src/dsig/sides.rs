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
pub(super) trait SigningSide: Send {
    /// Signs a message and returns the encoded signature.
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>>;
    /// Does some background work, if there is any, and returns the announcement.
    fn run_background(&mut self, now: Time) -> Result<Option<Vec<u8>>>;
    /// Returns true if no one-time key is left: background work must make some first.
    fn lacks_keys(&self) -> bool;
}

/// The verifying end, on another core.
pub(super) trait VerifyingSide: Send {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()>;
    /// Receives an announcement of the signer.
    fn receive_announcement(&mut self, announcement: &[u8], now: Time) -> Result<()>;
}

/// Both ends.
pub(super) struct Sides {
    pub(super) signer: Box<dyn SigningSide>,
    pub(super) verifier: Box<dyn VerifyingSide>,
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
    let mut verifier = InformedVerifier::<S>::new(&signer);
    while let Some(made) = signer.prepare(&mut rng, START)? {
        verifier.receive_announcement(&made.announcement.encode(), START)?;
    }
    Ok(Sides { signer: Box::new(OneCore { signer, rng }), verifier: Box::new(verifier) })
}

/// The foreground planes alone, as if the background planes had their own cores: that work is done beforehand for the
/// number of signatures, and its results are passed in when they are due.
pub(super) fn own_cores<S: DsigSuite>(signatures: usize) -> Result<Sides> {
    // A batch reveals its announcement only when its signer accepts it, so a second signer with the same generator
    // provides it.
    let (mut rng, mut second_rng) = (StdRng::seed_from_u64(11), StdRng::seed_from_u64(11));
    let mut signer = new_signer::<S>(&mut rng, usize::MAX)?;
    let mut second = new_signer::<S>(&mut second_rng, usize::MAX)?;
    let mut known = InformedVerifier::new(&signer);
    let (mut batches, mut checked) = (VecDeque::new(), VecDeque::new());
    for _ in 0..signatures.div_ceil(1 << LOG2_BATCH) {
        let plan = signer.plan(&mut rng, START)?.ok_or(Error::Exhausted)?;
        batches.push_back(plan.make()?);
        let made = second.prepare(&mut second_rng, START)?.ok_or(Error::Exhausted)?;
        let admitted = known.verifier.admit_announcement(&known.signer, START)?;
        checked.push_back(admitted.check(&made.announcement.encode())?);
    }
    Ok(Sides {
        signer: Box::new(OwnCore { signer, batches }),
        verifier: Box::new(PreparedVerifier { known, checked }),
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

impl SigningSide for EddsaSigner {
    fn sign(&mut self, message: &[u8], _now: Time) -> Result<Vec<u8>> {
        Ok(self.0.sign(message).to_bytes().to_vec())
    }

    fn run_background(&mut self, _now: Time) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn lacks_keys(&self) -> bool {
        false
    }
}

struct EddsaVerifier(VerifyingKey);

impl VerifyingSide for EddsaVerifier {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        let signature = ed25519_dalek::Signature::from_slice(signature).ok();
        let verdict = signature.and_then(|signature| self.0.verify_strict(message, &signature).ok());
        verdict.ok_or(Error::BadSignature { signers: vec![] })
    }

    fn receive_announcement(&mut self, _announcement: &[u8], _now: Time) -> Result<()> {
        Ok(())
    }
}

struct OneCore<S: DsigSuite> {
    signer: Signer<S>,
    rng: StdRng,
}

impl<S: DsigSuite> SigningSide for OneCore<S> {
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        Ok(self.signer.sign(message, &[], now)?.encode())
    }

    fn run_background(&mut self, now: Time) -> Result<Option<Vec<u8>>> {
        Ok(self.signer.prepare(&mut self.rng, now)?.map(|made| made.announcement.encode()))
    }

    fn lacks_keys(&self) -> bool {
        self.signer.ready() == 0
    }
}

struct OwnCore<S: DsigSuite> {
    signer: Signer<S>,
    batches: VecDeque<Batch<S>>,
}

impl<S: DsigSuite> SigningSide for OwnCore<S> {
    fn sign(&mut self, message: &[u8], now: Time) -> Result<Vec<u8>> {
        Ok(self.signer.sign(message, &[], now)?.encode())
    }

    fn run_background(&mut self, _now: Time) -> Result<Option<Vec<u8>>> {
        let next = if self.lacks_keys() { self.batches.pop_front() } else { None };
        let next = next.and_then(|batch| self.signer.add(batch));
        // The other side already has the content; it only needs the time.
        Ok(next.map(|_| Vec::new()))
    }

    fn lacks_keys(&self) -> bool {
        self.signer.ready() == 0
    }
}

struct InformedVerifier<S: DsigSuite> {
    verifier: Verifier<S>,
    signer: PublicKey,
}

impl<S: DsigSuite> InformedVerifier<S> {
    /// A verifier that knows this signer, and stores all announcements in transit.
    fn new(signer: &Signer<S>) -> Self {
        let (announced, burst) = (32, u32::MAX);
        let mut verifier = Verifier::new(VerifierConfig { announced, burst, ..VerifierConfig::default() });
        let signer = signer.public_key().clone();
        verifier.admit(signer.clone());
        Self { verifier, signer }
    }
}

impl<S: DsigSuite> VerifyingSide for InformedVerifier<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        let signature = Signature::<S>::decode(signature, &())?;
        // Otherwise another operation would be measured.
        if !self.verifier.can_verify_fast(&self.signer, &signature) {
            return Err(Error::WrongContext { what: "announcement" });
        }
        self.verifier.verify(&self.signer, message, &signature)
    }

    fn receive_announcement(&mut self, announcement: &[u8], now: Time) -> Result<()> {
        self.verifier.announce(&self.signer, announcement, now)
    }
}

struct PreparedVerifier<S: DsigSuite> {
    known: InformedVerifier<S>,
    checked: VecDeque<VerifiedAnnouncement<S>>,
}

impl<S: DsigSuite> VerifyingSide for PreparedVerifier<S> {
    fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<()> {
        self.known.verify(message, signature)
    }

    fn receive_announcement(&mut self, _announcement: &[u8], _now: Time) -> Result<()> {
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
                if signer.lacks_keys() {
                    let announcement = signer.run_background(now).unwrap().unwrap();
                    verifier.receive_announcement(&announcement, now).unwrap();
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
