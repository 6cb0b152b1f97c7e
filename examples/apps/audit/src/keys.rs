//! A client's key file: a few lines of text, readable by the owner only.
//!
//! ```text
//! quorate-audited-<application>-key 1
//! secret <64 hexadecimal digits>
//! public <64 hexadecimal digits>
//! ```
//!
//! Lines that begin with `#` are comments. A file is never overwritten.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use quorate::ed25519::{Ed25519, PublicKey, SecretKey};
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use zeroize::{Zeroize, Zeroizing};

use crate::Application;
use crate::failure::{Exit, Failure, OrFail};
use crate::log::sync_folder;

/// Maximum size of a key file, far above any real one.
const MAX_FILE: u64 = 4096;

/// A client's secret key. It is wiped when dropped and cannot be printed or cloned.
pub struct Key {
    secret: Zeroizing<[u8; 32]>,
}

impl Key {
    /// Generates a key with the operating system's generator.
    ///
    /// # Errors
    /// If the generator fails.
    pub fn generate() -> Result<Self, Failure> {
        let secret = Ed25519::generate(&mut getrandom::SysRng).or_fail(Exit::Failed, "making a key")?;
        Ok(Self { secret: Ed25519::secret_to_bytes(&secret) })
    }

    /// Creates a file that only its owner can read, and makes it durable.
    ///
    /// # Errors
    /// If the file exists, or cannot be written.
    pub fn save(&self, application: &Application, path: &Path) -> Result<(), Failure> {
        let shown = path.display();
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create_new(true).mode(0o600).open(path).or_fail(
                Exit::Input,
                format_args!("{shown}: a key is never overwritten; choose another path"),
            )?;
        let mut digits = hex::encode(*self.secret);
        let public = hex::encode(self.public()?.as_bytes());
        let mut text = Zeroizing::new(String::with_capacity(512));
        for part in [
            "# A client's secret key. Any holder of this file can sign as the client.\n",
            application.key_line,
            "\nsecret ",
            &digits,
            "\npublic ",
            &public,
            "\n",
        ] {
            text.push_str(part);
        }
        digits.zeroize();
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| sync_folder(path))
            .or_fail(Exit::Failed, &shown)
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// If other users can read the file, or it is damaged.
    pub fn load(application: &Application, path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let file = File::open(path).or_fail(Exit::Input, &shown)?;
        let metadata = file.metadata().or_fail(Exit::Input, &shown)?;
        if metadata.permissions().mode() & 0o077 != 0 {
            return Err(Failure::input(format!(
                "{shown}: other users can read it; run `chmod 600 {shown}` first"
            )));
        }
        if metadata.len() > MAX_FILE {
            return Err(Failure::input(format!("{shown}: too large to be a key file; check the path")));
        }
        // The capacity is reserved in advance: a growing buffer would leave copies of the secret in memory.
        let mut text = Zeroizing::new(String::with_capacity(MAX_FILE as usize));
        file.take(MAX_FILE).read_to_string(&mut text).or_fail(Exit::Input, &shown)?;
        Self::parse(application, &text).map_err(|failure| failure.at(shown))
    }

    /// Returns the client's public key.
    ///
    /// # Errors
    /// None for a key that was generated or loaded.
    pub fn public(&self) -> Result<PublicKey, Failure> {
        Ok(Ed25519::public_key(&self.secret_key()?))
    }

    /// Returns the signing key.
    ///
    /// # Errors
    /// None for a key that was generated or loaded.
    pub fn secret_key(&self) -> Result<SecretKey, Failure> {
        Ed25519::secret_from_bytes(&*self.secret).or_fail(Exit::Input, "the secret key")
    }

    fn parse(application: &Application, text: &str) -> Result<Self, Failure> {
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let damaged = || Failure::input("the key file is damaged; restore it from its copy");
        let line = application.key_line;
        if lines.next() != Some(line) {
            return Err(Failure::input(format!("the first line is not `{line}`; check the path")));
        }
        let mut field = |name| lines.next().and_then(|line| line.strip_prefix(name)).ok_or_else(damaged);
        let mut secret = Zeroizing::new([0; 32]);
        hex::decode_to_slice(field("secret ")?, &mut *secret).map_err(|_| damaged())?;
        let (key, stated) = (Self { secret }, field("public ")?);
        if lines.next().is_some() || hex::encode(key.public()?.as_bytes()) != stated {
            return Err(damaged());
        }
        Ok(key)
    }
}

/// Reads a public key of 64 hexadecimal digits.
///
/// # Errors
/// A message with the expected format.
pub fn public_key(digits: &str) -> Result<PublicKey, String> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes)
        .map_err(|_| "public key: expected 64 hexadecimal digits".to_owned())?;
    PublicKey::decode(&bytes, &()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;
    use crate::application::TEST;

    #[test]
    fn key_files_round_trip_and_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let key = Key::generate().unwrap();
        key.save(&TEST, &path).unwrap();
        let public = key.public().unwrap();
        assert_eq!(Key::load(&TEST, &path).unwrap().public().unwrap(), public);
        assert_eq!(public_key(&hex::encode(public.as_bytes())), Ok(public));
        assert!(Key::generate().unwrap().save(&TEST, &path).is_err());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(Key::load(&TEST, &path).err().unwrap().message.contains("chmod 600"));
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        Key::generate().unwrap().save(&TEST, &path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(Key::parse(&TEST, &text).is_ok());
        for damaged in [
            String::new(),
            text.replace("key 1", "key 2"),
            text.replace("secret ", "secret 0"),
            format!("{text}x"),
        ] {
            assert!(Key::parse(&TEST, &damaged).is_err());
        }
        assert!(public_key("00").is_err() && public_key(&"00".repeat(32)).is_err());
    }
}
