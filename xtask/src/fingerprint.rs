//! Hashes of the files with which a check last passed, so that an unchanged check is not repeated.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::process::Outcome;
use crate::workspace;

/// A check whose result depends only on some files and folders of the repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint {
    /// Name of the file in target/xtask that holds the last hash.
    pub(crate) name: &'static str,
    /// Paths relative to the root of the repository.
    pub(crate) inputs: &'static [&'static str],
}

impl Fingerprint {
    /// Returns true if the inputs have not changed since the check last passed.
    pub(crate) fn is_current(self) -> bool {
        fs::read_to_string(self.path()).is_ok_and(|last| self.contents().is_ok_and(|now| now == last))
    }

    /// Records that the check passed with the present inputs.
    pub(crate) fn record(self) -> Outcome {
        let path = self.path();
        fs::write(&path, self.contents()?).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn path(self) -> PathBuf {
        workspace::target("xtask").join(self.name)
    }

    /// Hash of the names and contents of all inputs.
    fn contents(self) -> Outcome<String> {
        let mut files = Vec::new();
        for path in self.inputs {
            list(&workspace::root().join(path), &mut files)?;
        }
        files.sort();
        let mut hash = Sha256::new();
        for file in files {
            hash.update(Sha256::digest(file.to_string_lossy().as_bytes()));
            hash.update(Sha256::digest(fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?));
        }
        Ok(hex::encode(hash.finalize()))
    }
}

/// Lists the file, or all files below the folder.
fn list(path: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    for entry in fs::read_dir(path).map_err(failed)? {
        list(&entry.map_err(failed)?.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_current_until_a_file_changes() {
        // An absolute path replaces the root.
        let folder = workspace::target("xtask/unit/fingerprint");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("inner")).unwrap();
        let path: &'static str = Box::leak(folder.display().to_string().into_boxed_str());
        let fingerprint =
            Fingerprint { name: "unit/fingerprint-current", inputs: Box::leak(Box::new([path])) };
        let _ = fs::remove_file(fingerprint.path());
        assert!(!fingerprint.is_current());
        let (one, two) = (folder.join("one"), folder.join("inner/two"));
        for (file, text) in [(&one, Some("a")), (&one, Some("b")), (&two, Some("")), (&one, None)] {
            text.map_or_else(|| fs::remove_file(file), |text| fs::write(file, text)).unwrap();
            assert!(!fingerprint.is_current(), "{}", file.display());
            fingerprint.record().unwrap();
            assert!(fingerprint.is_current());
        }
    }
}
