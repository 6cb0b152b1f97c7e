//! The key file of a party or a requester: a few lines of text, readable by the owner only.
//!
//! ```text
//! threshold-signing-keys 1
//! name alice
//! identity <64 hexadecimal digits>       Ed25519: TLS, and attestations of shares
//! sealing <64 hexadecimal digits>        X25519: opens sealed shares; parties only
//! identity-public <64 hexadecimal digits>
//! ```
//!
//! The last line detects a damaged file. Lines that begin with `#` are comments. A file is never overwritten.

use std::path::Path;

use getrandom::SysRng;
use quorate::ed25519::{self, Ed25519};
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::threshold::seal::SealingKey;
use quorate::wire::Encode;
use quorate_node::keys::{load_private, save_private};
use zeroize::{Zeroize, Zeroizing};

use crate::failure::Failure;
use crate::text::{check_name, secret};

const FIRST_LINE: &str = "threshold-signing-keys 1";

/// Secret keys of a party or a requester. They are wiped when dropped and cannot be printed.
pub struct Keys {
    name: String,
    identity: Zeroizing<[u8; 32]>,
    sealing: Option<SealingKey>,
}

/// Role of a member in the group file.
#[derive(Clone, Copy, Debug)]
pub enum Role<'a> {
    /// A party, which signs and serves at an address.
    Party {
        /// Host and port.
        address: &'a str,
    },
    /// A requester, which asks for signatures.
    Requester,
}

impl Keys {
    /// Generates keys. A party also needs a sealing key.
    ///
    /// # Errors
    /// If the name is invalid, or the random generator fails.
    pub fn generate(name: &str, party: bool) -> Result<Self, Failure> {
        check_name(name).map_err(|e| Failure::setup(format!("name: {e}")))?;
        let identity = Ed25519::secret_to_bytes(&Ed25519::generate(&mut SysRng)?);
        let sealing = if party { Some(SealingKey::generate(&mut SysRng)?) } else { None };
        Ok(Self { name: name.to_owned(), identity, sealing })
    }

    /// Creates a file that only its owner can read, and makes it durable.
    ///
    /// # Errors
    /// If the file exists, or the disk fails.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        Ok(save_private(path, &self.text()?)?)
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// If other users can read the file, or it is damaged.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        Self::parse(&load_private(path)?)
            .map_err(|problem| Failure::setup(format!("key file {}: {problem}", path.display())))
    }

    /// Returns the name of the owner.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the identity key.
    ///
    /// # Errors
    /// If the secret is not valid.
    pub fn identity(&self) -> Result<ed25519::SecretKey, Failure> {
        Ok(Ed25519::secret_from_bytes(self.identity.as_slice())?)
    }

    /// Returns the key that opens sealed shares.
    ///
    /// # Errors
    /// If the keys belong to a requester.
    pub fn sealing(&self) -> Result<&SealingKey, Failure> {
        let missing = "expected a party's keys, got a requester's; make a party's with `keys --address`";
        self.sealing.as_ref().ok_or_else(|| Failure::setup(missing))
    }

    /// Returns the owner's section of the group file.
    ///
    /// # Errors
    /// Those of [`identity`](Keys::identity) and [`sealing`](Keys::sealing).
    pub fn section(&self, role: Role<'_>) -> Result<String, Failure> {
        let key = UnverifiedKey::<Ed25519>::prove(&self.identity()?);
        let (identity, possession) =
            (hex::encode(key.public().encode()), hex::encode(key.possession().encode()));
        let name = &self.name;
        Ok(match role {
            Role::Party { address } => {
                let sealing = hex::encode(self.sealing()?.public().encode());
                format!(
                    "\n[[party]]\nname = {name:?}\naddress = {address:?}\nidentity = \"{identity}\"\n\
                     possession = \"{possession}\"\nsealing = \"{sealing}\"\n"
                )
            }
            Role::Requester => format!(
                "\n[[requester]]\nname = {name:?}\nidentity = \"{identity}\"\npossession = \"{possession}\"\n"
            ),
        })
    }

    /// Encodes the file.
    ///
    /// # Errors
    /// Those of [`identity`](Keys::identity).
    pub fn text(&self) -> Result<Zeroizing<String>, Failure> {
        let mut text = Zeroizing::new(String::with_capacity(1024));
        text.push_str(
            "# Secret keys. Any holder of this file can sign as this member and open what is sealed to it.\n",
        );
        text.push_str(FIRST_LINE);
        text.push_str("\nname ");
        text.push_str(&self.name);
        push_secret(&mut text, "identity", &self.identity);
        if let Some(sealing) = &self.sealing {
            push_secret(&mut text, "sealing", &sealing.to_bytes());
        }
        text.push_str("\nidentity-public ");
        text.push_str(&hex::encode(Ed25519::public_key(&self.identity()?).encode()));
        text.push('\n');
        Ok(text)
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// A message with the problem and its remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
        if lines.next() != Some(FIRST_LINE) {
            return Err(format!("the first line is not `{FIRST_LINE}`; check the path"));
        }
        let mut field = |name: &str| {
            let value = lines.next_if(|line| line.split(' ').next() == Some(name));
            value.and_then(|line| line.split_once(' ')).map(|(_, value)| value)
        };
        let missing = |name: &str| format!("the line `{name} …` is missing; restore the file from its copy");
        let name = field("name").ok_or_else(|| missing("name"))?.to_owned();
        check_name(&name)?;
        let identity = secret("identity", field("identity").ok_or_else(|| missing("identity"))?)?;
        let sealing = match field("sealing") {
            Some(digits) => {
                Some(SealingKey::from_bytes(&*secret("sealing", digits)?).map_err(|e| e.to_string())?)
            }
            None => None,
        };
        let stated = field("identity-public").ok_or_else(|| missing("identity-public"))?.to_owned();
        let keys = Self { name, identity, sealing };
        let public = hex::encode(Ed25519::public_key(&keys.identity().map_err(|e| e.message)?).encode());
        if stated != public || lines.next().is_some() {
            return Err(
                "the file is damaged: its keys and its last line do not match; restore it from its copy"
                    .into(),
            );
        }
        Ok(keys)
    }
}

fn push_secret(text: &mut String, name: &str, secret: &[u8; 32]) {
    let mut digits = hex::encode(secret);
    text.push('\n');
    text.push_str(name);
    text.push(' ');
    text.push_str(&digits);
    digits.zeroize();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_files_round_trip_and_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        for party in [true, false] {
            let path = dir.path().join(party.to_string());
            let keys = Keys::generate("alice", party).unwrap();
            keys.save(&path).unwrap();
            let again = Keys::load(&path).unwrap();
            let role = if party { Role::Party { address: "h:1" } } else { Role::Requester };
            assert_eq!(again.section(role).unwrap(), keys.section(role).unwrap());
            assert_eq!((again.name(), again.sealing().is_ok()), ("alice", party));
            assert_eq!(Keys::generate("bob", party).unwrap().save(&path).unwrap_err().code, "KEY_FILE");
        }
        assert!(Keys::generate("../alice", true).is_err());
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let text = Keys::generate("alice", true).unwrap().text().unwrap();
        assert!(Keys::parse(&text).is_ok());
        let other = Keys::generate("bob", true).unwrap().text().unwrap();
        let line = |text: &str, name: &str| {
            text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap().to_owned()
        };
        for damaged in [
            String::new(),
            text.replace("keys 1", "keys 2"),
            text.replace("identity ", "identity 0"),
            text.replace("sealing ", "ceiling "),
            text.replace("name alice", "name .."),
            text.replace(&line(&text, "identity"), &line(&other, "identity")),
            text.replace(&line(&text, "identity-public"), ""),
            format!("{}more\n", *text),
        ] {
            assert!(Keys::parse(&damaged).is_err(), "{damaged}");
        }
    }
}
