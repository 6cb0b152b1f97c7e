//! Hashes of the files with which a check last passed, so that an unchanged check is not repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::process::{Outcome, output_of};
use crate::workspace;

/// A check whose result depends only on some files and folders of the repository.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint {
    /// Name of the check, unique among all.
    pub(crate) name: &'static str,
    /// Paths relative to the root of the repository. Files that git ignores do not count.
    pub(crate) inputs: &'static [&'static str],
}

impl Fingerprint {
    /// Hash of the names and contents of all inputs.
    pub(crate) fn contents(self) -> Outcome<String> {
        let mut git = Command::new("git");
        git.current_dir(workspace::root()).args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
        ]);
        let listed = output_of(git.args(self.inputs)).ok_or("`git ls-files` failed; run it to see why")?;
        let files: Vec<PathBuf> = listed.lines().map(|line| workspace::root().join(line)).collect();
        if files.is_empty() {
            return Err(format!("{}: no file below {}", self.name, self.inputs.join(", ")));
        }
        // Git also lists files that were deleted, and not yet committed.
        hash_of(files.iter().filter(|file| file.exists()))
    }

    /// Returns true if the check passed with these contents last.
    pub(crate) fn passed_with(self, contents: &str) -> bool {
        passed_with(self.name, contents)
    }

    /// Records that the check passed with these contents.
    pub(crate) fn record(self, contents: &str) -> Outcome {
        record(self.name, contents)
    }
}

/// Hash of the names and contents of files.
pub(crate) fn hash_of<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Outcome<String> {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(Sha256::digest(file.to_string_lossy().as_bytes()));
        hash.update(Sha256::digest(fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?));
    }
    Ok(hex::encode(hash.finalize()))
}

/// Returns true if a check passed with this hash last.
pub(crate) fn passed_with(name: &str, hash: &str) -> bool {
    fs::read_to_string(path(name)).is_ok_and(|last| last == hash)
}

/// Records that a check passed with this hash.
pub(crate) fn record(name: &str, hash: &str) -> Outcome {
    let path = path(name);
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    fs::write(&path, hash).map_err(failed)
}

fn path(name: &str) -> PathBuf {
    workspace::target("xtask/passed").join(name.replace(' ', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_changes_with_each_file() {
        let folder = workspace::target("xtask/unit/fingerprint");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let files = [folder.join("one"), folder.join("two")];
        let mut last = String::new();
        for (file, text) in [(&files[0], "a"), (&files[1], ""), (&files[1], "b"), (&files[0], "b")] {
            fs::write(file, text).unwrap();
            let now = hash_of(files.iter().filter(|file| file.exists())).unwrap();
            assert_ne!(now, last, "{}", file.display());
            last = now;
        }
        record("unit fingerprint", &last).unwrap();
        assert!(passed_with("unit fingerprint", &last) && !passed_with("unit fingerprint", "other"));
    }

    #[test]
    fn inputs_are_files_of_the_repository() {
        let source = Fingerprint { name: "unit", inputs: &["xtask/src"] };
        assert_eq!(source.contents(), source.contents());
        let none = Fingerprint { name: "unit", inputs: &["target"] };
        assert_eq!(none.contents(), Err("unit: no file below target".to_owned()));
    }
}
