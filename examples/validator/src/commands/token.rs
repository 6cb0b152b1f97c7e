use std::path::PathBuf;

use quorate_node::NodeError;
use quorate_node::signer::token::{Pin, Token, TokenKey};

/// A voting key in a PKCS#11 token: all of these options, or none. So `required` is false, and each one requires another.
#[derive(Debug, clap::Args)]
pub(crate) struct TokenArgs {
    /// Use a voting key in a PKCS#11 token, which signs with Ed25519. MODULE is the shared library of the token's vendor, for
    /// SoftHSM2 libsofthsm2.so.
    #[arg(long, required = false, value_name = "MODULE", requires_all = ["token", "key"])]
    pkcs11: PathBuf,

    /// Label of the token.
    #[arg(long, required = false, value_name = "LABEL", requires = "pkcs11")]
    token: String,

    /// Label of the voting key in the token.
    #[arg(long, required = false, value_name = "LABEL", requires = "pkcs11")]
    key: String,

    /// File with the PIN of the token's user in its first line; only its owner may read it. Without it the variable
    /// QUORATE_TOKEN_PIN, or the terminal. A wrong PIN is tried once.
    #[arg(long, value_name = "FILE", requires = "pkcs11")]
    pin_file: Option<PathBuf>,
}

impl TokenArgs {
    /// Logs in to the token, makes the key if `is_new`, and opens it.
    pub(crate) fn open(&self, is_new: bool) -> Result<TokenKey, NodeError> {
        // Before the PIN is asked for.
        let token = Token::find(&self.pkcs11, &self.token)?;
        let session = token.log_in(&Pin::obtain(&self.token, self.pin_file.as_deref())?)?;
        if is_new {
            session.generate_key(&self.key)?;
        }
        Ok(session.key(&self.key)?)
    }
}
