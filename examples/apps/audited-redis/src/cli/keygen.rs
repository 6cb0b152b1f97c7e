use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use quorate_audited_redis::keys::Key;
use quorate_support::outln;

use super::common::Outcome;

/// Makes a client's key file and prints the public key.
///
/// Add the public key to the front's configuration, and give it to auditors. The file is readable by its owner only
/// and is never overwritten.
#[derive(Debug, Args)]
pub(super) struct KeygenArgs {
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl KeygenArgs {
    pub(super) fn run(&self) -> Outcome {
        let key = Key::generate()?;
        key.save(&self.out)?;
        let public = hex::encode(key.public()?.as_bytes());
        if self.json {
            outln!("{}", serde_json::json!({ "key": public, "file": self.out }));
        } else {
            outln!("{public}");
        }
        Ok(ExitCode::SUCCESS)
    }
}
