use std::path::PathBuf;

use quorate_node::keys::save_private;
use quorate_support::outln;

use super::existing::Existing;
use crate::commands::keygen::NewPassword;
use crate::exit::{Exit, Failure, OrFail};

/// Write the voting key to an EIP-2335 keystore, for another program.
///
/// The keystore is encrypted with a new password. The records of what the key has signed do not go with it: the validator
/// must never start again with this key.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate key export alice/keys --out voting.json")]
pub(super) struct Export {
    #[command(flatten)]
    existing: Existing,

    /// The new keystore; an existing file is not overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    password: NewPassword,
}

impl Export {
    pub(super) fn run(self) -> Result<(), Failure> {
        let keys = self.existing.load()?;
        let (password, derivation) = self.password.obtain(&self.out)?;
        let keystore =
            keys.voting_keystore(&password, derivation).or_fail(Exit::Failed, "cannot encrypt the key")?;
        let text = format!("{:#}\n", serde_json::json!(keystore));
        save_private(&self.out, &text).or_fail(Exit::Setup, "cannot write the keystore")?;
        outln!("keystore: {}", self.out.display());
        outln!("Never let this validator and another program sign with one key.");
        Ok(())
    }
}
