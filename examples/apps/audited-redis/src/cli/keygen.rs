use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::keys::Key;
use quorate_support::say;

use super::Outcome;

/// Makes a client's key file and prints the public key.
///
/// The public key goes into the front's configuration, and to everybody who is to check what the client asked for. The
/// file is readable by its owner alone and is never overwritten.
#[derive(Debug, Args)]
pub(super) struct Keygen {
    /// The file to make.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints a JSON object.
    #[arg(long)]
    json: bool,
}

impl Keygen {
    pub(super) fn run(&self) -> Outcome {
        let key = Key::generate()?;
        key.save(&self.out)?;
        let public = hex::encode(key.public()?.as_bytes());
        if self.json {
            say!("{}", serde_json::json!({ "key": public, "file": self.out }));
        } else {
            say!("{public}");
        }
        Ok(ExitCode::SUCCESS)
    }
}
