use std::path::PathBuf;

use quorate_node::keys::KeyFile;
use quorate_support::outln;
use serde_json::json;

use crate::exit::{Exit, Failure, OrFail};

/// Show the public keys of a key file. No password is needed.
///
/// For an encrypted file they are what the file states; they are compared with the secrets once it is decrypted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate key show alice/keys")]
pub(super) struct Show {
    /// The key file.
    #[arg(value_name = "KEYS")]
    keys: PathBuf,

    /// Print a JSON object.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(self) -> Result<(), Failure> {
        let file = KeyFile::load(&self.keys).or_fail(Exit::Setup, "cannot read the keys")?;
        let (identity, voting) = file.public_keys().or_fail(Exit::Setup, "cannot use the keys")?;
        let (scheme, encrypted) = (file.scheme(), file.is_encrypted());
        if self.json {
            let keys = json!({
                "scheme": scheme, "encrypted": encrypted, "identity_key": identity, "voting_key": voting,
            });
            outln!("{keys}");
        } else {
            outln!("scheme:       {scheme}");
            outln!("encrypted:    {}", if encrypted { "yes" } else { "no" });
            outln!("identity key: {identity}");
            outln!("voting key:   {voting}");
        }
        Ok(())
    }
}
