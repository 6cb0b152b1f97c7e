//! Sealed files. Public keys cross the boundary as their encodings.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::Error;
use quorate::threshold::seal;
use quorate::wire::{Decode, Encode};

use super::secret::Secret;
use crate::glue::Result;

#[derive(uniffi::Record)]
struct SealConstants {
    max_content: u32,
    overhead: u32,
}

#[uniffi::export]
fn seal_constants() -> SealConstants {
    SealConstants { max_content: seal::MAX_CONTENT as u32, overhead: seal::OVERHEAD as u32 }
}

fn public(bytes: &[u8]) -> Result<seal::SealingPublicKey> {
    Ok(seal::SealingPublicKey::decode(bytes, &())?)
}

#[uniffi::export]
fn sealing_public_key_check(bytes: Vec<u8>) -> Result<()> {
    public(&bytes).map(drop)
}

/// The content is borrowed: Kotlin wipes it.
#[uniffi::export]
fn seal_to(key: Vec<u8>, context: Vec<u8>, content: &[u8]) -> Result<Vec<u8>> {
    Ok(public(&key)?.seal(&context, content, &mut SysRng)?)
}

#[derive(uniffi::Object)]
struct SealingKey(seal::SealingKey);

#[uniffi::export]
impl SealingKey {
    #[uniffi::constructor]
    fn generate() -> Result<Self> {
        Ok(Self(seal::SealingKey::generate(&mut SysRng)?))
    }

    #[uniffi::constructor]
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.try_into().map_err(|_| Error::Malformed { what: "sealing key" })?;
        Ok(Self(seal::SealingKey::from_bytes(bytes)?))
    }

    fn to_bytes(&self) -> Arc<Secret> {
        Secret::new(self.0.to_bytes().as_slice())
    }

    fn public_key(&self) -> Vec<u8> {
        self.0.public().encode()
    }

    fn open(&self, context: Vec<u8>, sealed: Vec<u8>) -> Result<Arc<Secret>> {
        Ok(Secret::new(&self.0.open(&context, &sealed)?))
    }
}
