//! A validator's keys, and the text of a key file in the clear.

use std::path::Path;

use getrandom::SysRng;
use quorate::bls::MinSig;
use quorate::ed25519::{self, Ed25519};
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::Encode;
use zeroize::{Zeroize, Zeroizing};

use super::private_file::{MAX_FILE, save_private};
use crate::genesis::{Hex, PublicKeys, SchemeName};
use crate::{NodeError, Result};

const FIRST_LINE: &str = "quorate-keys 1";

/// A validator's secret keys. They are zeroized on drop and cannot be printed or cloned.
pub struct NodeKeys {
    pub(super) scheme: SchemeName,
    pub(super) identity: Zeroizing<[u8; 32]>,
    pub(super) voting: Zeroizing<[u8; 32]>,
}

impl NodeKeys {
    /// Generates keys with the operating system's random generator. Does not write them to disk.
    ///
    /// # Errors
    /// If the generator fails.
    pub fn generate(scheme: SchemeName) -> Result<Self> {
        let identity = Ed25519::secret_to_bytes(&Ed25519::generate(&mut SysRng)?);
        let voting = match scheme {
            SchemeName::Bls => MinSig::secret_to_bytes(&MinSig::generate(&mut SysRng)?),
            SchemeName::Ed25519 => Ed25519::secret_to_bytes(&Ed25519::generate(&mut SysRng)?),
        };
        Ok(Self { scheme, identity, voting })
    }

    /// Combines a voting key with a new identity.
    ///
    /// # Errors
    /// If the secret is not valid in the scheme, or if the operating system's random generator fails.
    pub fn with_voting_key(scheme: SchemeName, voting: Zeroizing<[u8; 32]>) -> Result<Self> {
        let keys = Self { voting, ..Self::generate(scheme)? };
        keys.public()?;
        Ok(keys)
    }

    /// Writes a key file that only its owner can read, durably.
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] if the file exists; [`NodeError::Io`].
    pub fn save(&self, path: &Path) -> Result<()> {
        save_private(path, &self.text()?)
    }

    /// The scheme of the voting key.
    pub fn scheme(&self) -> SchemeName {
        self.scheme
    }

    /// The public keys and their proofs of possession, for the genesis file.
    ///
    /// # Errors
    /// If the secrets are not valid.
    pub fn public(&self) -> Result<PublicKeys> {
        let (voting_key, voting_possession) = match self.scheme {
            SchemeName::Bls => prove::<MinSig>(&self.voting)?,
            SchemeName::Ed25519 => prove::<Ed25519>(&self.voting)?,
        };
        let (identity_key, identity_possession) = prove::<Ed25519>(&self.identity)?;
        Ok(PublicKeys { identity_key, identity_possession, voting_key, voting_possession })
    }

    /// The identity key.
    ///
    /// # Errors
    /// If the secret is not valid.
    pub fn identity(&self) -> Result<ed25519::SecretKey> {
        Ok(Ed25519::secret_from_bytes(self.identity.as_slice())?)
    }

    /// The voting key.
    ///
    /// # Errors
    /// [`NodeError::Genesis`] if `S` is not the scheme of the keys, or if the secret is not valid.
    pub fn voting<S: Scheme>(&self) -> Result<S::SecretKey> {
        if SchemeName::for_scheme::<S>() != Some(self.scheme) {
            return Err(NodeError::Genesis {
                path: None,
                problem: format!(
                    "scheme of the voting key: expected {}, got {}; create keys for the scheme of this chain",
                    S::NAME,
                    self.scheme
                ),
            });
        }
        Ok(S::secret_from_bytes(self.voting.as_slice())?)
    }

    fn text(&self) -> Result<Zeroizing<String>> {
        let (mut identity, mut voting) = (hex::encode(*self.identity), hex::encode(*self.voting));
        let public = self.public()?.identity_key;
        let mut text = Zeroizing::new(String::with_capacity(MAX_FILE as usize));
        for part in [
            "# Secret keys of a quorate validator. Keep it secret: it allows signing in the name of the validator.\n",
            FIRST_LINE,
            "\nscheme ",
            self.scheme.as_str(),
            "\nidentity ",
            &identity,
            "\nvoting ",
            &voting,
            "\nidentity-public ",
            &public.to_string(),
            "\n",
        ] {
            text.push_str(part);
        }
        identity.zeroize();
        voting.zeroize();
        Ok(text)
    }

    pub(super) fn from_text(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        if lines.next() != Some(FIRST_LINE) {
            return Err(format!("first line: expected `{FIRST_LINE}`; check the path"));
        }
        let mut field = |name: &str| {
            let line = lines.next().unwrap_or_default();
            let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
            value.ok_or_else(|| format!("the line `{name} …` is missing; restore the file from a backup"))
        };
        let keys = Self {
            scheme: field("scheme")?.parse()?,
            identity: secret("identity", field("identity")?)?,
            voting: secret("voting", field("voting")?)?,
        };
        let stated = field("identity-public")?;
        let public = keys.public().map_err(|e| format!("{e}; restore the file from a backup"))?.identity_key;
        if lines.next().is_some() || stated != public.to_string() {
            return Err(
                "damaged file: the secret key does not match identity-public; restore the file from a backup"
                    .into(),
            );
        }
        Ok(keys)
    }
}

fn secret(name: &str, digits: &str) -> Result<Zeroizing<[u8; 32]>, String> {
    let mut bytes = Zeroizing::new([0; 32]);
    hex::decode_to_slice(digits, bytes.as_mut())
        .map_err(|_| format!("`{name}`: expected 64 hexadecimal digits; restore the file from a backup"))?;
    Ok(bytes)
}

fn prove<S: Scheme>(secret: &[u8; 32]) -> Result<(Hex, Hex)> {
    let key = UnverifiedKey::<S>::prove(&S::secret_from_bytes(secret)?);
    Ok((Hex(key.public().encode()), Hex(key.possession().encode())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn keys_survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        for scheme in [SchemeName::Bls, SchemeName::Ed25519] {
            let path = dir.path().join(scheme.as_str());
            let keys = NodeKeys::generate(scheme).unwrap();
            keys.save(&path).unwrap();
            let again = NodeKeys::load(&path, None).unwrap();
            assert_eq!(again.public().unwrap(), keys.public().unwrap());
            assert_eq!(again.scheme(), scheme);
        }
    }

    #[test]
    fn a_key_file_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        let keys = NodeKeys::generate(SchemeName::Ed25519).unwrap();
        keys.save(&path).unwrap();
        let before = fs::read(&path).unwrap();
        let error = NodeKeys::generate(SchemeName::Bls).unwrap().save(&path).unwrap_err();
        assert_eq!(error.code(), "KEY_FILE");
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        NodeKeys::generate(SchemeName::Ed25519).unwrap().save(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = NodeKeys::load(&path, None).err().unwrap();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let text = NodeKeys::generate(SchemeName::Bls).unwrap().text().unwrap();
        assert!(NodeKeys::from_text(&text).is_ok());
        let other = NodeKeys::generate(SchemeName::Bls).unwrap().public().unwrap().identity_key.to_string();
        let digits = text.rsplit(' ').next().unwrap().trim();
        for damaged in [
            String::new(),
            text.replace("keys 1", "keys 2"),
            text.replace("scheme bls", "scheme dsa"),
            text.replace("voting ", "voting 0"),
            text.replace(digits, &other),
            format!("{}more\n", *text),
        ] {
            assert!(NodeKeys::from_text(&damaged).is_err());
        }
    }

    #[test]
    fn a_voting_key_serves_its_scheme_alone() {
        let keys = NodeKeys::generate(SchemeName::Bls).unwrap();
        assert!(keys.voting::<MinSig>().is_ok());
        assert_eq!(keys.voting::<Ed25519>().err().map(|e| e.code()), Some("GENESIS"));
    }
}
