//! Keystores of EIP-2335, version 4: a secret of 32 bytes, encrypted with a password.

mod format;

use aes::Aes128;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit, StreamCipher};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use self::format::{
    Checksum, Cipher, CipherName, CipherParameters, Crypto, EmptyText, Kdf, KdfParameters, NoParameters,
    Pbkdf2, Prf, Scrypt, Sha256Name, Version,
};
use super::password::Password;
use crate::genesis::Hex;
use crate::{NodeError, Result};

/// Length of the derived key.
const KEY: u32 = 32;
/// Maximum memory of scrypt in bytes: four times that of the usual parameters.
const MAX_MEMORY: u64 = 1 << 30;
const MAX_PARALLELISM: u32 = 16;
const MAX_ROUNDS: u32 = 10_000_000;
const MAX_SALT: usize = 256;

/// An encrypted secret with its public key.
///
/// Cost of encrypting and of decrypting: about a second, and with [`KeyDerivation::Scrypt`] 256 MiB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keystore {
    crypto: Crypto,
    /// A text for people.
    #[serde(default)]
    pub description: String,
    /// The public key.
    pub pubkey: Hex,
    /// The place in a tree of keys (EIP-2334); empty if it is unknown.
    pub path: String,
    /// A random name.
    pub uuid: String,
    version: Version,
}

/// How the key of the cipher is derived from the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyDerivation {
    /// scrypt with n = 2¹⁸, r = 8 and p = 1.
    Scrypt,
    /// PBKDF2 with HMAC-SHA-256 and 2¹⁸ rounds, which needs little memory and is therefore weaker.
    Pbkdf2,
}

impl Keystore {
    /// Encrypts a secret.
    ///
    /// # Errors
    /// If the operating system's random generator fails.
    pub fn encrypt(
        secret: &[u8; 32],
        pubkey: Hex,
        description: &str,
        password: &Password,
        derivation: KeyDerivation,
    ) -> Result<Self> {
        let (salt, iv) = (random::<32>()?, random::<16>()?);
        let salt = Hex(salt.to_vec());
        let parameters = match derivation {
            KeyDerivation::Scrypt => {
                KdfParameters::Scrypt(Scrypt { dklen: KEY, n: 1 << 18, p: 1, r: 8, salt })
            }
            KeyDerivation::Pbkdf2 => {
                KdfParameters::Pbkdf2(Pbkdf2 { dklen: KEY, c: 1 << 18, prf: Prf::HmacSha256, salt })
            }
        };
        let key = parameters
            .derive(password)
            .map_err(|problem| NodeError::KeyFile { path: "new keystore".into(), problem })?;
        let mut encrypted = *secret;
        key.apply(&iv, &mut encrypted);
        let checksum = key.checksum(&encrypted);
        let crypto = Crypto {
            kdf: Kdf { parameters, message: EmptyText::Empty },
            checksum: Checksum {
                function: Sha256Name::Sha256,
                params: NoParameters {},
                message: Hex(checksum.to_vec()),
            },
            cipher: Cipher {
                function: CipherName::Aes128Ctr,
                params: CipherParameters { iv: Hex(iv.to_vec()) },
                message: Hex(encrypted.to_vec()),
            },
        };
        let (description, path) = (description.to_owned(), String::new());
        Ok(Self { crypto, description, pubkey, path, uuid: uuid(random()?), version: Version })
    }

    /// Decrypts the secret. The caller checks that it belongs to the [public key](Self::pubkey).
    ///
    /// # Errors
    /// The problem: a wrong password, or parameters that are damaged or cost too much.
    pub fn decrypt(&self, password: &Password) -> Result<Zeroizing<[u8; 32]>, String> {
        let Crypto { kdf, checksum, cipher } = &self.crypto;
        let damaged = |field: &str| format!("damaged keystore: crypto.{field}; restore it from a backup");
        let secret = cipher.message.0.as_slice();
        let mut secret: Zeroizing<[u8; 32]> =
            Zeroizing::new(secret.try_into().map_err(|_| damaged("cipher.message"))?);
        let iv: [u8; 16] =
            cipher.params.iv.0.as_slice().try_into().map_err(|_| damaged("cipher.params.iv"))?;
        let key = kdf.parameters.derive(password)?;
        if key.checksum(&secret) != checksum.message.0.as_slice() {
            return Err("the password is wrong, or the keystore is damaged".to_owned());
        }
        key.apply(&iv, &mut secret);
        Ok(secret)
    }
}

/// What is derived from the password.
struct DerivedKey {
    cipher: Zeroizing<[u8; 16]>,
    checksum: Zeroizing<[u8; 16]>,
}

impl DerivedKey {
    /// Encrypts or decrypts.
    fn apply(&self, iv: &[u8; 16], secret: &mut [u8; 32]) {
        Ctr128BE::<Aes128>::new((&*self.cipher).into(), iv.into()).apply_keystream(secret);
    }

    fn checksum(&self, encrypted: &[u8; 32]) -> [u8; 32] {
        Sha256::new().chain_update(*self.checksum).chain_update(encrypted).finalize().into()
    }
}

impl KdfParameters {
    fn derive(&self, password: &Password) -> Result<DerivedKey, String> {
        let refused = || "the parameters crypto.kdf are damaged or cost too much".to_owned();
        let (length, salt) = match self {
            Self::Scrypt(Scrypt { dklen, salt, .. }) | Self::Pbkdf2(Pbkdf2 { dklen, salt, .. }) => {
                (*dklen, &salt.0)
            }
        };
        if length != KEY || salt.len() > MAX_SALT {
            return Err(refused());
        }
        let mut derived = Zeroizing::new([0; 32]);
        match self {
            Self::Scrypt(Scrypt { n, p, r, .. }) => {
                let blocks = n.checked_add((*p).into());
                let memory = blocks.and_then(|blocks| blocks.checked_mul(128)?.checked_mul((*r).into()));
                if !n.is_power_of_two()
                    || *p > MAX_PARALLELISM
                    || memory.is_none_or(|memory| memory > MAX_MEMORY)
                {
                    return Err(refused());
                }
                let params = scrypt::Params::new(n.trailing_zeros() as u8, *r, *p).map_err(|_| refused())?;
                scrypt::scrypt(password.as_bytes(), salt, &params, &mut *derived).map_err(|_| refused())?;
            }
            Self::Pbkdf2(Pbkdf2 { c, prf: Prf::HmacSha256, .. }) => {
                if !(1..=MAX_ROUNDS).contains(c) {
                    return Err(refused());
                }
                pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), salt, *c, &mut *derived);
            }
        }
        let mut key = DerivedKey { cipher: Zeroizing::new([0; 16]), checksum: Zeroizing::new([0; 16]) };
        let (cipher, checksum) = derived.split_at(16);
        key.cipher.copy_from_slice(cipher);
        key.checksum.copy_from_slice(checksum);
        Ok(key)
    }
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| quorate::Error::Rng)?;
    Ok(bytes)
}

/// The text of a random UUID (RFC 9562, version 4).
fn uuid(random: [u8; 16]) -> String {
    let bits = (u128::from_be_bytes(random) & !(0xf << 76 | 0b11 << 62)) | 4 << 76 | 0b10 << 62;
    let mut text = format!("{bits:032x}");
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    text
}

#[cfg(test)]
mod tests;
