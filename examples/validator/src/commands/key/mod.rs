//! Key files: what they hold, and copies in other forms.

mod backup;
mod export;
mod import;
mod show;

use std::path::PathBuf;

use clap::Subcommand;
use quorate_node::keys::NodeKeys;

use crate::exit::{Exit, Failure, OrFail};

/// Import, export, show or back up a validator's keys.
///
/// A key file is encrypted or in the clear; `quorate keygen` makes one. What a key has signed is not in it but in the data
/// directory of its validator: never let two programs sign with one key.
#[derive(Debug, clap::Args)]
pub(crate) struct Key {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Show(show::Show),
    Import(import::Import),
    Export(export::Export),
    Backup(backup::Backup),
}

/// An existing key file.
#[derive(Debug, clap::Args)]
struct Existing {
    /// The key file.
    #[arg(value_name = "KEYS")]
    keys: PathBuf,

    /// File with the password of KEYS, if it is encrypted; without it the variable QUORATE_KEY_PASSWORD, or the terminal.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl Key {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Show(command) => command.run(),
            Command::Import(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Backup(command) => command.run(),
        }
    }
}

impl Existing {
    fn load(&self) -> Result<NodeKeys, Failure> {
        let keys = NodeKeys::load(&self.keys, self.password_file.as_deref());
        keys.or_fail(Exit::Setup, "cannot use the keys")
    }
}
