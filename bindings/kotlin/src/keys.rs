//! Keys, proofs of possession, signatures.

use std::sync::{Arc, PoisonError, RwLock};

use getrandom::SysRng;
use quorate::any;

use crate::glue::{NativeFailure, Result, ciphersuite};

/// Returns the suite with this number; suites cross the boundary as one byte.
pub(crate) fn suite(number: u8) -> Result<any::Suite> {
    Ok(any::Suite::from_number(number)?)
}

#[uniffi::export]
fn suite_name(number: u8) -> Result<String> {
    Ok(suite(number)?.name().to_owned())
}

#[uniffi::export]
fn suite_from_name(name: String) -> Result<u8> {
    Ok(any::Suite::from_name(&name)?.number())
}

/// A secret key, until its ownership is transferred to a guard. Wiped when the last call that uses it returns.
#[derive(uniffi::Object)]
pub(crate) struct SecretKey {
    suite: any::Suite,
    key: RwLock<Option<any::SecretKey>>,
}

impl SecretKey {
    fn new(key: any::SecretKey) -> Self {
        Self { suite: key.suite(), key: RwLock::new(Some(key)) }
    }

    /// Calls `work` with the key.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&any::SecretKey) -> T) -> Result<T> {
        let key = self.key.read().unwrap_or_else(PoisonError::into_inner);
        key.as_ref().map(work).ok_or_else(|| NativeFailure::closed("SecretKey"))
    }

    /// Transfers ownership of the key; this object is empty afterwards.
    pub(crate) fn take(&self) -> Result<any::SecretKey> {
        let mut key = self.key.write().unwrap_or_else(PoisonError::into_inner);
        key.take().ok_or_else(|| NativeFailure::closed("SecretKey"))
    }
}

#[uniffi::export]
impl SecretKey {
    #[uniffi::constructor]
    fn generate(suite: u8) -> Result<Self> {
        Ok(Self::new(any::SecretKey::generate(self::suite(suite)?, &mut SysRng)?))
    }

    /// Decodes a key. The slice is borrowed: Kotlin has the only copy of the bytes and wipes it.
    #[uniffi::constructor]
    fn from_bytes(suite: u8, bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(any::SecretKey::from_bytes(self::suite(suite)?, bytes)?))
    }

    /// Returns eight bytes of the key, big-endian. A number returns in a register; a byte array would leave an unwiped
    /// copy of the key in memory.
    fn word(&self, index: u8) -> Result<u64> {
        self.with(|key| {
            let bytes = key.to_bytes();
            let words = bytes.chunks(8).nth(usize::from(index)).unwrap_or_default();
            words.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
        })
    }

    fn suite(&self) -> u8 {
        self.suite.number()
    }

    fn public_key(&self) -> Result<Arc<PublicKey>> {
        self.with(|key| Arc::new(PublicKey(key.public_key())))
    }

    fn sign(&self, message: Vec<u8>) -> Result<Arc<Signature>> {
        self.with(|key| Arc::new(Signature(key.sign(&message))))
    }

    fn sign_with(&self, ciphersuite: Vec<u8>, message: Vec<u8>) -> Result<Arc<Signature>> {
        let ciphersuite = self::ciphersuite(&ciphersuite)?;
        Ok(Arc::new(Signature(self.with(|key| key.sign_with(&ciphersuite, &message))??)))
    }

    fn prove_possession(&self) -> Result<Arc<Signature>> {
        self.with(|key| Arc::new(Signature(key.prove_possession())))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct PublicKey(pub(crate) any::PublicKey);

#[uniffi::export]
impl PublicKey {
    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::PublicKey::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn verify(&self, message: Vec<u8>, signature: &Signature) -> Result<()> {
        Ok(self.0.verify(&message, &signature.0)?)
    }

    fn verify_with(&self, ciphersuite: Vec<u8>, message: Vec<u8>, signature: &Signature) -> Result<()> {
        Ok(self.0.verify_with(&self::ciphersuite(&ciphersuite)?, &message, &signature.0)?)
    }

    fn verify_possession(&self, possession: &Signature) -> Result<()> {
        Ok(self.0.verify_possession(&possession.0)?)
    }
}

#[derive(uniffi::Object)]
pub(crate) struct Signature(pub(crate) any::Signature);

#[uniffi::export]
impl Signature {
    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Signature::decode(self::suite(suite)?, &bytes)?))
    }

    #[uniffi::constructor]
    fn decode_link(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::Signature::decode_link(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn encode_link(&self) -> Vec<u8> {
        self.0.encode_link()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }
}

#[derive(uniffi::Object)]
pub(crate) struct UnverifiedKey(any::UnverifiedKey);

#[uniffi::export]
impl UnverifiedKey {
    #[uniffi::constructor]
    fn new(key: &PublicKey, possession: &Signature) -> Result<Self> {
        Ok(Self(any::UnverifiedKey::new(key.0.clone(), possession.0.clone())?))
    }

    #[uniffi::constructor]
    fn prove(secret: &SecretKey) -> Result<Self> {
        secret.with(|key| Self(any::UnverifiedKey::prove(key)))
    }

    #[uniffi::constructor]
    fn decode(suite: u8, bytes: Vec<u8>) -> Result<Self> {
        Ok(Self(any::UnverifiedKey::decode(self::suite(suite)?, &bytes)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn public_key(&self) -> Arc<PublicKey> {
        Arc::new(PublicKey(self.0.public()))
    }

    fn possession(&self) -> Arc<Signature> {
        Arc::new(Signature(self.0.possession()))
    }

    fn verify(&self) -> Result<Arc<VerifiedKey>> {
        Ok(Arc::new(VerifiedKey(self.0.verify()?)))
    }
}

#[derive(uniffi::Object)]
pub(crate) struct VerifiedKey(pub(crate) any::VerifiedKey);

#[uniffi::export]
impl VerifiedKey {
    #[uniffi::constructor]
    fn from_secret(secret: &SecretKey) -> Result<Self> {
        secret.with(|key| Self(any::VerifiedKey::from_secret(key)))
    }

    fn suite(&self) -> u8 {
        self.0.suite().number()
    }

    fn public_key(&self) -> Arc<PublicKey> {
        Arc::new(PublicKey(self.0.public()))
    }
}
