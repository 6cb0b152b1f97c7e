//! The interface of an authentication.

use std::fmt::Debug;
use std::sync::Arc;

use quorate::ed25519::PublicKey;
use quorate::machine::{MemberIndex, Time};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

/// Signs and verifies attestations. Long computations that can be done in advance are [`Job`](Authentication::Job)s,
/// which run on any thread, so that the machine never waits for them.
pub trait Authentication: Sized + Send + 'static {
    /// Name for operators and files.
    const NAME: &'static str;
    /// True if an attestation convinces third parties.
    const TRANSFERABLE: bool;
    /// Length of an encoded signature in bytes.
    const SIGNATURE_LEN: usize;
    /// Maximum length of an announcement in bytes; 0 if there are none.
    const ANNOUNCEMENT: usize;
    /// The signature of an attestation.
    type Signature: Clone + PartialEq + Eq + Debug + Encode + Decode + Send + Sync + 'static;
    /// Background work.
    type Job: Send + 'static;
    /// Result of background work.
    type Done: Send + 'static;

    /// Performs the work. Takes long and needs only the job.
    fn run(job: Self::Job) -> Self::Done;

    /// Signs `bytes`.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no key is ready; retry after a job is done.
    fn sign(&mut self, bytes: &[u8], now: Time) -> Result<Self::Signature>;

    /// Returns `true` if [`verify`](Authentication::verify) would be fast. If all verifications cost the same, none
    /// is deferred.
    fn can_verify_fast(&self, signer: MemberIndex, signature: &Self::Signature) -> bool {
        let _ = (signer, signature);
        true
    }

    /// Verifies a member's signature.
    ///
    /// # Errors
    /// The verification error.
    fn verify(&mut self, signer: MemberIndex, bytes: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Verifies a signature with nothing but the key, as a third party would.
    ///
    /// # Errors
    /// The verification error.
    fn verify_alone(key: &PublicKey, bytes: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Returns a job that generates keys, if they are short and none is in progress. Cheap: called after every input.
    ///
    /// # Errors
    /// [`Error::Rng`].
    fn plan(&mut self, now: Time) -> Result<Option<Self::Job>> {
        let _ = now;
        Ok(None)
    }

    /// Returns a job that verifies a member's announcement.
    ///
    /// # Errors
    /// The reason for ignoring it; [`Error::WrongContext`] if the scheme has no announcements.
    fn admit(&mut self, from: MemberIndex, announcement: Arc<[u8]>, now: Time) -> Result<Self::Job> {
        let _ = (from, announcement, now);
        Err(Error::WrongContext { what: "announcement" })
    }

    /// Applies the result of a job.
    fn finish(&mut self, done: Self::Done) -> Finished;

    /// Returns the announcements for a member that has just started.
    fn announcements(&self) -> Vec<Arc<[u8]>> {
        Vec::new()
    }
}

/// Effect of a finished job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// Keys are ready; send the announcement to all members.
    Made(Option<Arc<[u8]>>),
    /// More signatures of this member can be verified fast.
    Learned(MemberIndex),
    /// The member's announcement is invalid.
    Refused(MemberIndex, Error),
}
