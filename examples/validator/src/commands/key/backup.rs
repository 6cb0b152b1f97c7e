use std::path::PathBuf;

use quorate_support::outln;

use super::existing::Existing;
use crate::commands::keygen::NewPassword;
use crate::exit::{Exit, Failure, OrFail};

/// Write an encrypted copy of a key file.
///
/// The copy is a key file: put it in the place of a lost one, with the present data directory. Without the data directory
/// the validator does not know what it has signed; see the handbook's section on backups. To change the password of a key
/// file, write a copy with the new one and replace the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  quorate key backup alice/keys --out /media/safe/alice-keys.json")]
pub(super) struct Backup {
    #[command(flatten)]
    existing: Existing,

    /// The copy; an existing file is not overwritten.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    password: NewPassword,
}

impl Backup {
    pub(super) fn run(self) -> Result<(), Failure> {
        let keys = self.existing.load()?;
        let (password, derivation) = self.password.obtain(&self.out)?;
        keys.save_encrypted(&self.out, &password, derivation)
            .or_fail(Exit::Setup, "cannot write the copy")?;
        outln!("copy: {}", self.out.display());
        Ok(())
    }
}
