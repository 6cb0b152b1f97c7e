use std::convert::Infallible;
use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::{Ed25519, PublicKey, SecretKey, Signature};
use quorate::machine::{MemberIndex, Time};
use quorate::scheme::Scheme as _;
use quorate::wire::Decode as _;
use quorate::{Error, Result};
use quorate_sodium::{SigningKey, Unavailable, VerifyingKey};

use super::scheme::{Authentication, Finished};

/// Ed25519 signatures of libsodium, for measurements beside those of ed25519-dalek, which are the same. It needs the feature
/// `sodium`.
pub struct Sodium {
    group: Arc<Committee<Ed25519>>,
    key: SigningKey,
}

impl Sodium {
    /// Creates the authentication of a member that signs with `key` in `group`.
    ///
    /// # Errors
    /// [`Error::WrongContext`] without the feature `sodium`.
    pub fn new(group: Arc<Committee<Ed25519>>, key: SecretKey) -> Result<Self> {
        let key = SigningKey::from_seed(&Ed25519::secret_to_bytes(&key)).map_err(unavailable)?;
        Ok(Self { group, key })
    }
}

impl Authentication for Sodium {
    const NAME: &'static str = "sodium";
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
        Signature::decode(&self.key.sign(bytes).map_err(unavailable)?, &())
    }

    fn verify(&mut self, signer: MemberIndex, bytes: &[u8], signature: &Signature) -> Result<()> {
        let key = self.group.key(signer).ok_or(Error::UnknownSigner { index: signer.into() })?;
        Self::verify_alone(key, bytes, signature)
    }

    fn verify_alone(key: &PublicKey, bytes: &[u8], signature: &Signature) -> Result<()> {
        let key = VerifyingKey::new(key.as_bytes()).map_err(unavailable)?;
        let is_valid = key.verify(bytes, &signature.to_bytes());
        if is_valid { Ok(()) } else { Err(Error::BadSignature { signers: vec![] }) }
    }

    fn finish(&mut self, done: Infallible) -> Finished {
        match done {}
    }
}

fn unavailable(_: Unavailable) -> Error {
    Error::WrongContext { what: "program without libsodium" }
}
