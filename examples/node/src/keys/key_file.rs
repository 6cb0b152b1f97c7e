//! Key files, in the clear or encrypted.

use std::path::Path;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::keystore::{KeyDerivation, Keystore};
use super::node_keys::NodeKeys;
use super::password::Password;
use super::private_file::{load_private, save_private};
use crate::genesis::{Hex, SchemeName};
use crate::{NodeError, Result};

/// A key file before its secrets are decrypted.
pub enum KeyFile {
    /// The secrets are readable.
    Plain(NodeKeys),
    /// The secrets are encrypted.
    Encrypted(Box<EncryptedKeys>),
}

/// A validator's encrypted keys: the JSON of an encrypted key file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncryptedKeys {
    format: Format,
    scheme: SchemeName,
    identity: Keystore,
    voting: Keystore,
}

#[derive(Debug, Serialize, Deserialize)]
enum Format {
    #[serde(rename = "quorate-keys 2")]
    Second,
}

impl KeyFile {
    /// Reads a key file.
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] if others can read the file, or if it is damaged.
    pub fn load(path: &Path) -> Result<Self> {
        let text = load_private(path)?;
        let parsed = if text.trim_start().starts_with('{') {
            serde_json::from_str(&text).map(Self::Encrypted).map_err(|e| e.to_string())
        } else {
            NodeKeys::from_text(&text).map(Self::Plain)
        };
        parsed.map_err(|problem| NodeError::KeyFile { path: path.to_owned(), problem })
    }

    /// Returns true if a password is needed.
    pub fn is_encrypted(&self) -> bool {
        matches!(self, Self::Encrypted(_))
    }

    /// The scheme of the voting key.
    pub fn scheme(&self) -> SchemeName {
        match self {
            Self::Plain(keys) => keys.scheme,
            Self::Encrypted(keys) => keys.scheme,
        }
    }

    /// The public keys, identity and voting; those of an encrypted file are not checked.
    ///
    /// # Errors
    /// If the secrets are not valid.
    pub fn public_keys(&self) -> Result<(Hex, Hex)> {
        match self {
            Self::Plain(keys) => keys.public().map(|public| (public.identity_key, public.voting_key)),
            Self::Encrypted(keys) => Ok((keys.identity.pubkey.clone(), keys.voting.pubkey.clone())),
        }
    }

    /// Decrypts the secrets, if they are encrypted. The password is that of `password_file`, of the environment or of the
    /// terminal, see [`Password::of_file`]. `path` is the file's, for messages.
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] for a wrong password or a damaged file, and for a password file of keys that are not encrypted.
    pub fn open(self, path: &Path, password_file: Option<&Path>) -> Result<NodeKeys> {
        match self {
            Self::Plain(_) if password_file.is_some() => Err(NodeError::KeyFile {
                path: path.to_owned(),
                problem: "a password file is named, but the keys are not encrypted; `quorate key backup` writes an encrypted copy"
                    .to_owned(),
            }),
            Self::Plain(keys) => Ok(keys),
            Self::Encrypted(keys) => {
                let password = Password::of_file(path, password_file)?;
                keys.decrypt(&password)
                    .map_err(|problem| NodeError::KeyFile { path: path.to_owned(), problem })
            }
        }
    }
}

impl EncryptedKeys {
    fn decrypt(&self, password: &Password) -> Result<NodeKeys, String> {
        let keys = NodeKeys {
            scheme: self.scheme,
            identity: self.identity.decrypt(password)?,
            voting: self.voting.decrypt(password)?,
        };
        let public = keys.public().map_err(|e| format!("{e}; restore the file from a backup"))?;
        if public.identity_key != self.identity.pubkey || public.voting_key != self.voting.pubkey {
            return Err(
                "damaged file: a secret key does not match its public key; restore the file from a backup"
                    .into(),
            );
        }
        Ok(keys)
    }
}

impl NodeKeys {
    /// Reads a key file. If it is encrypted, the password is that of `password_file`, of the environment or of the terminal, see
    /// [`Password::of_file`].
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] if others can read the file, if it is damaged, or for a wrong password.
    pub fn load(path: &Path, password_file: Option<&Path>) -> Result<Self> {
        KeyFile::load(path)?.open(path, password_file)
    }

    /// Writes an encrypted key file that only its owner can read, durably.
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] if the file exists; [`NodeError::Io`].
    pub fn save_encrypted(&self, path: &Path, password: &Password, derivation: KeyDerivation) -> Result<()> {
        let public = self.public()?;
        let encrypt = |secret: &Zeroizing<[u8; 32]>, pubkey, description| {
            Keystore::encrypt(secret, pubkey, description, password, derivation)
        };
        let encrypted = EncryptedKeys {
            format: Format::Second,
            scheme: self.scheme,
            identity: encrypt(&self.identity, public.identity_key, "identity of a quorate validator")?,
            voting: encrypt(&self.voting, public.voting_key, "voting key of a quorate validator")?,
        };
        save_private(path, &format!("{:#}\n", serde_json::json!(encrypted)))
    }

    /// Encrypts the voting key alone, for other programs.
    ///
    /// # Errors
    /// If the secret is not valid, or if the operating system's random generator fails.
    pub fn voting_keystore(&self, password: &Password, derivation: KeyDerivation) -> Result<Keystore> {
        let pubkey = self.public()?.voting_key;
        Keystore::encrypt(&self.voting, pubkey, "voting key of a quorate validator", password, derivation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn password(text: &str) -> Password {
        Password::new(text).unwrap()
    }

    #[test]
    fn encrypted_keys_survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        for scheme in [SchemeName::Bls, SchemeName::Ed25519] {
            let path = dir.path().join(scheme.as_str());
            let keys = NodeKeys::generate(scheme).unwrap();
            keys.save_encrypted(&path, &password("correct horse"), KeyDerivation::Pbkdf2).unwrap();
            let text = fs::read_to_string(&path).unwrap();
            for secret in [&keys.identity, &keys.voting] {
                assert!(!text.contains(&hex::encode(**secret)));
            }
            let KeyFile::Encrypted(encrypted) = KeyFile::load(&path).unwrap() else {
                panic!("not encrypted")
            };
            let problem = encrypted.decrypt(&password("wrong horse")).err().unwrap();
            assert!(problem.contains("the password is wrong"), "{problem}");
            let again = encrypted.decrypt(&password("correct horse")).unwrap();
            assert_eq!(again.public().unwrap(), keys.public().unwrap());
            assert_eq!(
                KeyFile::Encrypted(encrypted).public_keys().unwrap(),
                KeyFile::Plain(again).public_keys().unwrap()
            );
            let error = keys.save_encrypted(&path, &password("another"), KeyDerivation::Pbkdf2).unwrap_err();
            assert_eq!(error.code(), "KEY_FILE");
        }
    }

    #[test]
    fn keys_of_two_files_cannot_be_mixed() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| {
            let path = dir.path().join(name);
            let keys = NodeKeys::generate(SchemeName::Bls).unwrap();
            keys.save_encrypted(&path, &password("correct horse"), KeyDerivation::Pbkdf2).unwrap();
            let KeyFile::Encrypted(encrypted) = KeyFile::load(&path).unwrap() else {
                panic!("not encrypted")
            };
            encrypted
        });
        let mut mixed = *one;
        mixed.voting.pubkey = other.voting.pubkey;
        assert!(mixed.decrypt(&password("correct horse")).err().unwrap().contains("damaged file"));
    }
}
