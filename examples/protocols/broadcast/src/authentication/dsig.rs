use std::sync::Arc;

use quorate::committee::Committee;
use quorate::dsig::{
    AdmittedAnnouncement, Announced, Batch, DsigSuite, Plan, Signature, Signer, SignerConfig,
    VerifiedAnnouncement, Verifier, VerifierConfig,
};
use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::machine::{MemberIndex, Time};
use quorate::wire::Encode;
use quorate::{Error, Result};
use rand_core::TryCryptoRng;

use super::scheme::{Authentication, Finished};

/// Name of [`Dsig`] with any suite.
pub(crate) const DSIG: &str = "dsig";

/// DSig signatures. All members form one group of likely verifiers, since every member verifies every signature.
pub struct Dsig<S: DsigSuite, R> {
    group: Arc<Committee<Ed25519>>,
    signer: Signer<S>,
    verifier: Verifier<S>,
    rng: R,
    planned: bool,
}

/// Background work.
pub enum Job<S: DsigSuite> {
    /// Generates a batch of keys.
    Make(Plan<S>),
    /// Verifies a member's announcement.
    Check(MemberIndex, AdmittedAnnouncement<S>, Arc<[u8]>),
}

/// Result of background work.
pub enum Done<S: DsigSuite> {
    /// A batch of keys.
    Made(Result<Batch<S>>),
    /// A verified announcement, or the error.
    Checked(MemberIndex, Result<VerifiedAnnouncement<S>>),
}

impl<S: DsigSuite, R: TryCryptoRng> Dsig<S, R> {
    /// Creates the authentication of a member that signs with `key` in `group`. `rng` must be the operating system's.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::TooLarge`] for a batch of more than 2⁷ keys.
    pub fn new(
        group: Arc<Committee<Ed25519>>,
        key: SecretKey,
        config: SignerConfig,
        mut rng: R,
    ) -> Result<Self> {
        let signer = Signer::new(key, vec![], config, &mut rng)?;
        let mut verifier = Verifier::new(VerifierConfig::default());
        group.keys().iter().for_each(|key| verifier.admit(key.clone()));
        Ok(Self { group, signer, verifier, rng, planned: false })
    }

    fn key(&self, member: MemberIndex) -> Result<&PublicKey> {
        self.group.key(member).ok_or(Error::UnknownSigner { index: member.into() })
    }

    fn encoded(announced: &Announced<S>) -> Arc<[u8]> {
        announced.announcement.encode().into()
    }
}

impl<S: DsigSuite, R: TryCryptoRng + Send + 'static> Authentication for Dsig<S, R> {
    const NAME: &'static str = DSIG;
    const TRANSFERABLE: bool = true;
    const SIGNATURE_LEN: usize = Signature::<S>::LEN;
    /// For 128 keys.
    const ANNOUNCEMENT: usize = 68 + 32 * 128;
    type Signature = Signature<S>;
    type Job = Job<S>;
    type Done = Done<S>;

    fn run(job: Job<S>) -> Done<S> {
        match job {
            Job::Make(plan) => Done::Made(plan.make()),
            Job::Check(from, admitted, announcement) => Done::Checked(from, admitted.check(&announcement)),
        }
    }

    fn sign(&mut self, bytes: &[u8], now: Time) -> Result<Signature<S>> {
        self.signer.sign(bytes, &[], now)
    }

    fn can_verify_fast(&self, signer: MemberIndex, signature: &Signature<S>) -> bool {
        self.key(signer).is_ok_and(|key| self.verifier.can_verify_fast(key, signature))
    }

    fn verify(&mut self, signer: MemberIndex, bytes: &[u8], signature: &Signature<S>) -> Result<()> {
        let key = self.group.key(signer).ok_or(Error::UnknownSigner { index: signer.into() })?;
        self.verifier.verify(key, bytes, signature)
    }

    fn verify_alone(key: &PublicKey, bytes: &[u8], signature: &Signature<S>) -> Result<()> {
        signature.verify(key, bytes)
    }

    fn plan(&mut self, now: Time) -> Result<Option<Job<S>>> {
        if self.planned {
            return Ok(None);
        }
        let plan = self.signer.plan(&mut self.rng, now)?;
        self.planned = plan.is_some();
        Ok(plan.map(Job::Make))
    }

    fn admit(&mut self, from: MemberIndex, announcement: Arc<[u8]>, now: Time) -> Result<Job<S>> {
        let key = self.group.key(from).ok_or(Error::UnknownSigner { index: from.into() })?;
        Ok(Job::Check(from, self.verifier.admit_announcement(key, now)?, announcement))
    }

    fn finish(&mut self, done: Done<S>) -> Finished {
        match done {
            Done::Made(batch) => {
                self.planned = false;
                let announced = batch.ok().and_then(|batch| self.signer.add(batch));
                Finished::Made(announced.as_ref().map(Self::encoded))
            }
            Done::Checked(from, checked) => match checked.and_then(|checked| self.verifier.learn(checked)) {
                Ok(()) => Finished::Learned(from),
                Err(error) => Finished::Refused(from, error),
            },
        }
    }

    fn announcements(&self) -> Vec<Arc<[u8]>> {
        self.signer.announcements().map(|announced| Self::encoded(&announced)).collect()
    }
}
