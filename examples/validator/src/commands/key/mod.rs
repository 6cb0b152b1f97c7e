//! Key files: what they hold, and copies in other forms.

mod backup;
mod existing;
mod export;
mod import;
mod show;

use clap::Subcommand;

use crate::exit::Failure;

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
