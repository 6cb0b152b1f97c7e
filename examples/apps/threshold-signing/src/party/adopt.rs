//! Binds a share file to the one journal that says what is spent of it.
//!
//! A share file with an empty journal, or with another one's, would sign again with presignatures that are spent: two
//! signatures of one presignature, and from them the key. So the first start leaves a file beside the shares, named like them
//! with `.used` behind, which says whose journal is theirs; with any other journal they are refused. It stops mistakes. It
//! cannot stop who copies shares elsewhere, or restores a data directory from a copy: never do either.

use std::path::{Path, PathBuf};

use crate::failure::{Exit, Failure, OrFail};
use crate::files::{read, write_new};

/// Longest file that says whose the shares are.
const MAX_FILE: u64 = 256;

/// Fails unless these shares are this journal's, or nobody's yet. Call it before anything is signed.
pub(super) fn adopt(shares: &Path, journal: [u8; 16]) -> Result<(), Failure> {
    let path = used(shares);
    let text = format!("these shares are spent in the journal\n{}\n", hex::encode(journal));
    if !path.exists() {
        return write_new(&path, true, text.as_bytes());
    }
    let found = read(&path, MAX_FILE).or_fail(Exit::Setup, path.display())?;
    if found == text.as_bytes() {
        return Ok(());
    }
    Err(Failure::with_code(
        crate::failure::Exit::Setup,
        "SHARES_IN_USE",
        format!(
            "{} were used with another data directory ({} says so); start with that one. If it is lost, so are these \
             shares: with an empty journal they would sign twice what they have signed, which gives the group's key away. \
             Have the dealer deal the next epoch",
            shares.display(),
            path.display()
        ),
    ))
}

fn used(shares: &Path) -> PathBuf {
    let mut name = shares.file_name().unwrap_or_default().to_owned();
    name.push(".used");
    shares.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_belong_to_the_journal_that_they_were_first_used_with() {
        let dir = tempfile::tempdir().unwrap();
        let shares = dir.path().join("alice.sealed");
        adopt(&shares, [1; 16]).unwrap();
        adopt(&shares, [1; 16]).unwrap();
        assert_eq!(adopt(&shares, [2; 16]).unwrap_err().code, "SHARES_IN_USE");
        std::fs::write(used(&shares), "").unwrap();
        assert_eq!(adopt(&shares, [1; 16]).unwrap_err().code, "SHARES_IN_USE");
        adopt(&dir.path().join("bob.sealed"), [1; 16]).unwrap();
    }
}
