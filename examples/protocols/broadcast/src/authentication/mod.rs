//! How members know each other's words: three ways with one face.
//!
//! | | a word is | can be shown to others | a member's processor |
//! |---|---|---|---|
//! | [`Links`] | believed because the link is authenticated | no | next to nothing |
//! | [`Eddsa`] | an Ed25519 signature | yes | one signature, one verification for each word |
//! | [`Dsig`] | a one-time signature under a key announced before | yes | hashes; Ed25519 once for each batch of keys |

mod dsig;
mod eddsa;
mod links;

use std::fmt::Debug;
use std::sync::Arc;

use quorate::ed25519::PublicKey;
use quorate::machine::{MemberIndex, Time};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

pub use dsig::{Done, Dsig, Job};
pub use eddsa::Eddsa;
pub use links::{Links, Unsigned};

/// The name of [`Dsig`] of every suite.
pub(crate) const DSIG: &str = "dsig";

/// Signs and verifies. Everything long that can be done ahead of time is a [`Job`](Authentication::Job) that runs
/// wherever the driver wants, so that the machine itself never waits for it.
pub trait Authentication: Sized + Send + 'static {
    /// For people and files.
    const NAME: &'static str;
    /// Whether a word can be shown to others who believe it.
    const TRANSFERABLE: bool;
    /// Bytes of an encoded signature.
    const SIGNATURE_LEN: usize;
    /// Most bytes of an announcement; 0 if there are none.
    const ANNOUNCEMENT: usize;
    /// What makes a word believed.
    type Signature: Clone + PartialEq + Eq + Debug + Encode + Decode + Send + Sync + 'static;
    /// Work for the background.
    type Job: Send + 'static;
    /// What the work brought.
    type Done: Send + 'static;

    /// Does the work. Long, and needs nothing but the job.
    fn run(job: Self::Job) -> Self::Done;

    /// Signs.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if no key is ready: try again after a job is done.
    fn sign(&mut self, bytes: &[u8], now: Time) -> Result<Self::Signature>;

    /// Whether [`verify`](Authentication::verify) would be fast. Where all are equally slow none is put off for another.
    fn can_verify_fast(&self, signer: MemberIndex, signature: &Self::Signature) -> bool {
        let _ = (signer, signature);
        true
    }

    /// Verifies a member's signature.
    ///
    /// # Errors
    /// Why it is not believed.
    fn verify(&mut self, signer: MemberIndex, bytes: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Verifies as a stranger would, with nothing known but the key.
    ///
    /// # Errors
    /// Why it is not believed.
    fn verify_alone(key: &PublicKey, bytes: &[u8], signature: &Self::Signature) -> Result<()>;

    /// A job that makes keys, if they are short and none is under way. Cheap: it is asked after every input.
    ///
    /// # Errors
    /// [`Error::Rng`].
    fn plan(&mut self, now: Time) -> Result<Option<Self::Job>> {
        let _ = now;
        Ok(None)
    }

    /// A job that checks a member's announcement.
    ///
    /// # Errors
    /// Why it is not looked at: [`Error::WrongContext`] where nothing is announced.
    fn admit(&mut self, from: MemberIndex, announcement: Arc<[u8]>, now: Time) -> Result<Self::Job> {
        let _ = (from, announcement, now);
        Err(Error::WrongContext { what: "announcement" })
    }

    /// Takes in what a job brought.
    fn finish(&mut self, done: Self::Done) -> Finished;

    /// What a member that starts again should be told.
    fn announcements(&self) -> Vec<Arc<[u8]>> {
        Vec::new()
    }
}

/// What has become of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finished {
    /// Keys are ready; send this to everybody.
    Made(Option<Arc<[u8]>>),
    /// More of this member's signatures can be verified fast.
    Learned(MemberIndex),
    /// What this member announced is not to be believed.
    Refused(MemberIndex, Error),
}
