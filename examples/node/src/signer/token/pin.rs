use std::env;
use std::io::{IsTerminal, stdin};
use std::path::Path;

use cryptoki::types::AuthPin;
use zeroize::Zeroizing;

use super::error::TokenError;
use crate::keys::{load_private, prompt};

/// Environment variable with the PIN of a token.
pub const PIN_VARIABLE: &str = "QUORATE_TOKEN_PIN";

/// The PIN of a token's user. It is zeroized on drop and cannot be printed.
pub struct Pin(AuthPin);

impl Pin {
    /// Takes a text as it is.
    pub fn new(text: &str) -> Self {
        // An exact copy: a growing one would leave parts in memory.
        Self(AuthPin::new(Box::from(text)))
    }

    /// Obtains the PIN: from the first line of a file if one is named, else from the variable [`PIN_VARIABLE`], else from the
    /// terminal.
    ///
    /// # Errors
    /// [`TokenError::Pin`] if there is no PIN, or if others can read the file.
    pub fn obtain(token: &str, file: Option<&Path>) -> Result<Self, TokenError> {
        let refused = |problem: String| TokenError::Pin { token: token.to_owned(), problem };
        let text = if let Some(path) = file {
            let text = load_private(path).map_err(|error| refused(error.to_string()))?;
            Zeroizing::new(text.lines().next().unwrap_or_default().to_owned())
        } else if let Some(text) = env::var_os(PIN_VARIABLE) {
            Zeroizing::new(text.into_string().map_err(|_| refused(format!("{PIN_VARIABLE} is not UTF-8")))?)
        } else if stdin().is_terminal() {
            prompt(&format!("PIN of the token {token}: ")).map_err(refused)?
        } else {
            return Err(refused(format!(
                "there is none; name a file with it, set {PIN_VARIABLE}, or start on a terminal, which asks for it"
            )));
        };
        if text.is_empty() { Err(refused("it is empty".to_owned())) } else { Ok(Self::new(&text)) }
    }

    pub(super) fn as_auth_pin(&self) -> &AuthPin {
        &self.0
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_pin_file_is_private_and_its_first_line_is_the_pin() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pin");
        let pin = || Pin::obtain("quorate", Some(&path));
        fs::write(&path, "12 34\r\nmore\n").unwrap();
        assert!(pin().err().unwrap().to_string().contains("chmod 600"));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let shown = format!("{:?}", pin().map(|pin| pin.0).unwrap());
        assert!(!shown.contains("12"), "{shown}");
        fs::write(&path, "\n").unwrap();
        assert_eq!(pin().err().map(|error| error.code()), Some("TOKEN_PIN"));
    }
}
