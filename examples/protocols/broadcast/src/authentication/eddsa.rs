use std::convert::Infallible;
use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::{Ed25519, PublicKey, SecretKey, Signature};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme;
use quorate::{Error, Result};

use super::scheme::{Authentication, Finished};

/// Ed25519 signatures.
pub struct Eddsa {
    group: Arc<Committee<Ed25519>>,
    key: SecretKey,
}

impl Eddsa {
    /// Creates the authentication of a member that signs with `key` in `group`.
    pub fn new(group: Arc<Committee<Ed25519>>, key: SecretKey) -> Self {
        Self { group, key }
    }
}

impl Authentication for Eddsa {
    const NAME: &'static str = "eddsa";
    const TRANSFERABLE: bool = true;
    const SIGNATURE_LEN: usize = 64;
    const ANNOUNCEMENT: usize = 0;
    type Signature = Signature;
    type Job = Infallible;
    type Done = Infallible;

    fn run(job: Infallible) -> Infallible {
        job
    }

    fn sign(&mut self, bytes: &[u8], _: Time) -> Result<Signature> {
        Ok(Ed25519::sign(&self.key, bytes))
    }

    fn verify(&mut self, signer: MemberIndex, bytes: &[u8], signature: &Signature) -> Result<()> {
        let key = self.group.key(signer).ok_or(Error::UnknownSigner { index: signer.into() })?;
        Self::verify_alone(key, bytes, signature)
    }

    fn verify_alone(key: &PublicKey, bytes: &[u8], signature: &Signature) -> Result<()> {
        Ed25519::verify(key, bytes, signature)
    }

    fn finish(&mut self, done: Infallible) -> Finished {
        match done {}
    }
}
