use alloc::vec::Vec;

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::wire::domain;
use crate::{Error, Result};

/// Maximum length of a plaintext: 32 MiB.
pub const MAX_PLAINTEXT: usize = 1 << 25;
/// Number of bytes by which a payload is longer than its plaintext: a commitment of 32 bytes and a tag of 16.
pub const OVERHEAD: usize = COMMITMENT + 16;

const COMMITMENT: usize = 32;

/// The cipher key and the commitment derived from a wrapped key.
struct Keys(Zeroizing<[u8; 64]>);

impl Keys {
    fn derive(wrapped: &[u8; 32]) -> Self {
        let mut keys = Self(Zeroizing::new([0; 64]));
        let mut hasher = domain::hasher(domain::TDH2_WRAPPED);
        let mut output = hasher.update(wrapped).finalize_xof();
        output.fill(&mut *keys.0);
        output.zeroize();
        hasher.zeroize();
        keys
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        let mut key = Key::default();
        key.iter_mut().zip(self.0.iter()).for_each(|(to, from)| *to = *from);
        let cipher = ChaCha20Poly1305::new(&key);
        key.as_mut_slice().zeroize();
        cipher
    }

    fn commitment(&self) -> &[u8] {
        self.0.last_chunk::<COMMITMENT>().map_or(&[], |commitment| commitment)
    }
}

/// commitment 32 ‖ ChaCha20-Poly1305 of the plaintext. The nonce is zero because a key encrypts once.
pub(super) fn seal(wrapped: &[u8; 32], plaintext: &[u8]) -> Result<Vec<u8>> {
    let too_large = Error::TooLarge { what: "payload to encrypt", limit: MAX_PLAINTEXT as u64 };
    if plaintext.len() > MAX_PLAINTEXT {
        return Err(too_large);
    }
    let keys = Keys::derive(wrapped);
    let mut payload = Vec::with_capacity(plaintext.len() + OVERHEAD);
    payload.extend_from_slice(keys.commitment());
    payload.extend_from_slice(plaintext);
    let body = payload.get_mut(COMMITMENT..).unwrap_or_default();
    let tag = keys
        .cipher()
        .encrypt_inout_detached(&Nonce::default(), &[], body.into())
        // The cipher's limit is 256 GiB.
        .map_err(|_| too_large)?;
    payload.extend_from_slice(&tag);
    Ok(payload)
}

/// Result of opening a payload.
pub(super) enum Opened {
    /// The key is not the wrapped one.
    OtherKey,
    /// The key is right, but the author's payload does not open.
    Broken,
    /// The plaintext.
    Plaintext(Vec<u8>),
}

pub(super) fn open(wrapped: &[u8; 32], payload: &[u8]) -> Opened {
    let keys = Keys::derive(wrapped);
    let Some((commitment, rest)) = payload.split_at_checked(COMMITMENT) else { return Opened::Broken };
    if !bool::from(commitment.ct_eq(keys.commitment())) {
        return Opened::OtherKey;
    }
    let Some((body, tag)) = rest.split_last_chunk::<16>() else { return Opened::Broken };
    let mut plaintext = body.to_vec();
    let opened = keys.cipher().decrypt_inout_detached(
        &Nonce::default(),
        &[],
        plaintext.as_mut_slice().into(),
        &(*tag).into(),
    );
    if opened.is_ok() { Opened::Plaintext(plaintext) } else { Opened::Broken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_payload_opens_only_with_its_key() {
        for len in [0, 1, 31, 32, 64, 1000] {
            let plaintext = alloc::vec![len as u8; len];
            let sealed = seal(&[1; 32], &plaintext).unwrap();
            assert_eq!(sealed.len(), len + OVERHEAD);
            assert!(matches!(open(&[1; 32], &sealed), Opened::Plaintext(opened) if opened == plaintext));
            assert!(matches!(open(&[2; 32], &sealed), Opened::OtherKey));
            for at in 0..sealed.len() {
                let mut other = sealed.clone();
                other[at] ^= 1;
                match open(&[1; 32], &other) {
                    Opened::OtherKey => assert!(at < COMMITMENT),
                    Opened::Broken => assert!(at >= COMMITMENT),
                    Opened::Plaintext(_) => panic!("byte {at} is not protected"),
                }
            }
            assert!(matches!(open(&[1; 32], &sealed[..31]), Opened::Broken));
            assert!(matches!(open(&[1; 32], &sealed[..47]), Opened::Broken));
        }
    }

    /// The cipher alone does not commit to its key, so the commitment must be checked before the tag.
    #[test]
    fn wrong_key_is_distinguished_from_a_broken_payload() {
        let mut sealed = seal(&[1; 32], b"m").unwrap();
        *sealed.last_mut().unwrap() ^= 1;
        assert!(matches!(open(&[1; 32], &sealed), Opened::Broken));
        assert!(matches!(open(&[3; 32], &sealed), Opened::OtherKey));
    }
}
