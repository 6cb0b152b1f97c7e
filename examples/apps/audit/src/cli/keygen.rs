use std::path::PathBuf;
use std::process::ExitCode;

use crate::keys::Key;
use clap::Args;
use quorate_support::outln;

use super::Outcome;
use crate::Application;

/// Makes a client's key file and prints the public key.
///
/// Add the public key to the configuration of the server, and give it to auditors. The file is readable by its owner only
/// and is never overwritten.
#[derive(Debug, Args)]
pub struct KeygenArgs {
    /// The file to create.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl KeygenArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`](crate::failure::Failure).
    pub fn run(&self, application: &'static Application) -> Outcome {
        let key = Key::generate()?;
        key.save(application, &self.out)?;
        let public = hex::encode(key.public()?.as_bytes());
        if self.json {
            outln!("{}", serde_json::json!({ "key": public, "file": self.out }));
        } else {
            outln!("{public}");
        }
        Ok(ExitCode::SUCCESS)
    }
}
