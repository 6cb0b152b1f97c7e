//! Passwords of encrypted key files.

use std::env;
use std::io::{IsTerminal, stdin};
use std::path::Path;

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::private_file::load_private;
use crate::{NodeError, Result};

/// Environment variable with the password of an encrypted key file.
pub const PASSWORD_VARIABLE: &str = "QUORATE_KEY_PASSWORD";
/// Environment variable with the password of a new key file.
pub const NEW_PASSWORD_VARIABLE: &str = "QUORATE_KEY_NEW_PASSWORD";
/// Minimum number of characters of a new password.
const MIN_NEW: usize = 8;
/// Maximum length of a password in bytes.
const MAX_BYTES: usize = 4096;

/// A password in the form of EIP-2335: its NFKD form without control characters, in UTF-8. It is zeroized on drop and cannot be
/// printed.
pub struct Password(Zeroizing<Vec<u8>>);

impl Password {
    /// Takes a text. Its control characters are left out.
    ///
    /// # Errors
    /// The problem, if nothing is left or the text is too long.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("the password is longer than {MAX_BYTES} bytes"));
        }
        // No character has more than 18 in its NFKD form: the buffer does not grow, which would leave copies.
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 * 18 * text.len()));
        for character in text.nfkd().filter(|character| !character.is_control()) {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if bytes.is_empty() { Err("the password is empty".to_owned()) } else { Ok(Self(bytes)) }
    }

    /// Obtains the password of an existing file: from the first line of a password file if there is one, else from the variable
    /// [`PASSWORD_VARIABLE`], else from the terminal.
    ///
    /// # Errors
    /// [`NodeError::KeyFile`] for `keys` if there is no password, or for the password file if others can read it.
    pub fn of_file(keys: &Path, password_file: Option<&Path>) -> Result<Self> {
        let refused = |problem: String| NodeError::KeyFile { path: keys.to_owned(), problem };
        if let Some(given) = Self::given(password_file, PASSWORD_VARIABLE)? {
            return Ok(given);
        }
        if !stdin().is_terminal() {
            return Err(refused(no_password(PASSWORD_VARIABLE)));
        }
        Self::new(&prompt(&format!("Password of {}: ", keys.display())).map_err(&refused)?).map_err(refused)
    }

    /// Obtains the password of a new file in the same way, with the variable [`NEW_PASSWORD_VARIABLE`]; on a terminal it is typed
    /// twice.
    ///
    /// # Errors
    /// As [`of_file`](Self::of_file), and for a password of fewer than 8 characters.
    pub fn of_new_file(keys: &Path, password_file: Option<&Path>) -> Result<Self> {
        let refused = |problem: String| NodeError::KeyFile { path: keys.to_owned(), problem };
        let password = match Self::given(password_file, NEW_PASSWORD_VARIABLE)? {
            Some(given) => given,
            None if stdin().is_terminal() => {
                let first = prompt(&format!("New password of {}: ", keys.display())).map_err(refused)?;
                let second = prompt("The same password again: ").map_err(refused)?;
                if *first != *second {
                    return Err(refused("the two passwords differ; run the command again".to_owned()));
                }
                Self::new(&first).map_err(refused)?
            }
            None => return Err(refused(no_password(NEW_PASSWORD_VARIABLE))),
        };
        if str::from_utf8(&password.0).map_or(0, |text| text.chars().count()) < MIN_NEW {
            return Err(refused(format!(
                "the password is too short; choose one of {MIN_NEW} characters or more"
            )));
        }
        Ok(password)
    }

    /// The password of a file or of the environment.
    fn given(password_file: Option<&Path>, variable: &str) -> Result<Option<Self>> {
        if let Some(path) = password_file {
            let text = load_private(path)?;
            let password = Self::new(text.lines().next().unwrap_or_default());
            return password
                .map(Some)
                .map_err(|problem| NodeError::KeyFile { path: path.to_owned(), problem });
        }
        let Some(text) = env::var_os(variable) else { return Ok(None) };
        let text = Zeroizing::new(text.into_string().unwrap_or_default());
        let wrong = |problem| NodeError::KeyFile { path: variable.into(), problem };
        Self::new(&text).map(Some).map_err(wrong)
    }

    /// Returns the bytes that the key derivation takes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

fn no_password(variable: &str) -> String {
    format!(
        "the file is encrypted, and there is no password; name a file with it, set {variable}, or start on a terminal, which \
         asks for it"
    )
}

/// Asks for a secret on the terminal, which does not show it.
pub(crate) fn prompt(question: &str) -> Result<Zeroizing<String>, String> {
    rpassword::prompt_password(question)
        .map(Zeroizing::new)
        .map_err(|e| format!("cannot read the password: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_has_one_form() {
        let bytes = |text: &str| Password::new(text).map(|password| password.as_bytes().to_vec());
        // The password of the test vectors of EIP-2335, from letters of mathematics.
        let fancy = "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑";
        assert_eq!(hex::encode(bytes(fancy).unwrap()), "7465737470617373776f7264f09f9491");
        assert_eq!(bytes("a\u{7f}b\u{1}c\u{85}\n"), Ok(b"abc".to_vec()));
        assert_eq!(bytes("a b"), Ok(b"a b".to_vec()));
        assert!(bytes("").is_err() && bytes("\r\n").is_err() && bytes(&"x".repeat(4097)).is_err());
        // The character with the longest form.
        assert_eq!(bytes("\u{fdfa}").unwrap().len(), 33);
    }

    #[cfg(unix)]
    #[test]
    fn a_password_file_has_one_line_and_is_private() {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        fs::write(&path, "correct horse\nbattery\n").unwrap();
        let read = || Password::of_file(Path::new("keys"), Some(&path));
        assert!(read().err().unwrap().to_string().contains("chmod 600"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read().unwrap().as_bytes(), b"correct horse");
        fs::write(&path, "short\n").unwrap();
        assert!(read().is_ok());
        let new = Password::of_new_file(Path::new("keys"), Some(&path));
        assert!(new.err().unwrap().to_string().contains("8 characters"));
    }
}
