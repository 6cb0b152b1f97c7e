//! Binds a share file to the journal that records its spent presignatures.
//!
//! With an empty journal, or the journal of other shares, a party would sign again with spent presignatures: two
//! signatures of one presignature reveal the key. The first start therefore writes a file beside the shares, with the
//! suffix `.used`, that names their journal; a start with any other journal is refused. This prevents mistakes. It does
//! not protect against copied shares or a data directory that was restored from a copy: never use either.

use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure, OrFail};
use crate::files::{read, write_new};

/// Maximum size of the file that names the journal.
const MAX_FILE: u64 = 256;

/// Binds the shares to the journal; fails if they are bound to another one. Must be called before anything is signed.
pub(super) fn bind_shares(shares: &Path, journal: [u8; 16]) -> Result<(), Failure> {
    let path = binding_path(shares);
    let text = format!("these shares are spent in the journal\n{}\n", hex::encode(journal));
    if !path.exists() {
        return write_new(&path, true, text.as_bytes());
    }
    let found = read(&path, MAX_FILE).or_fail(Exit::Setup, path.display())?;
    if found == text.as_bytes() {
        return Ok(());
    }
    Err(Failure::with_code(
        Exit::Setup,
        "SHARES_IN_USE",
        format!(
            "{} were used with another data directory, as {} records; start with that one. If it is lost, so are these \
             shares: with an empty journal they would sign twice with one presignature, which reveals the group's key. \
             Have the dealer deal the next epoch",
            shares.display(),
            path.display()
        ),
    ))
}

fn binding_path(shares: &Path) -> PathBuf {
    let mut name = shares.file_name().unwrap_or_default().to_owned();
    name.push(".used");
    shares.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_bound_to_the_journal_of_their_first_use() {
        let dir = tempfile::tempdir().unwrap();
        let shares = dir.path().join("alice.sealed");
        bind_shares(&shares, [1; 16]).unwrap();
        bind_shares(&shares, [1; 16]).unwrap();
        assert_eq!(bind_shares(&shares, [2; 16]).unwrap_err().code, "SHARES_IN_USE");
        std::fs::write(binding_path(&shares), "").unwrap();
        assert_eq!(bind_shares(&shares, [1; 16]).unwrap_err().code, "SHARES_IN_USE");
        bind_shares(&dir.path().join("bob.sealed"), [1; 16]).unwrap();
    }
}
