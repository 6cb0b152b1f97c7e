//! What some check last found good, so that daily work does not repeat it: its answer depends on these files alone.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::process::Outcome;
use crate::workspace;

/// A check, and the files and folders in the repository that it reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    /// Of a file in the folder for what the tests leave.
    pub(crate) name: &'static str,
    pub(crate) of: &'static [&'static str],
}

impl Stamp {
    /// Whether nothing changed since the check found everything good.
    pub(crate) fn holds(self) -> bool {
        fs::read_to_string(self.place()).is_ok_and(|last| self.contents().is_ok_and(|now| now == last))
    }

    /// Everything is good as it is now.
    pub(crate) fn set(self) -> Outcome {
        let place = self.place();
        fs::write(&place, self.contents()?).map_err(|e| format!("{}: {e}", place.display()))
    }

    fn place(self) -> PathBuf {
        workspace::target("xtask").join(self.name)
    }

    /// A hash of names and contents.
    fn contents(self) -> Outcome<String> {
        let mut files = Vec::new();
        for path in self.of {
            list(&workspace::root().join(path), &mut files)?;
        }
        files.sort();
        let mut all = Sha256::new();
        for file in files {
            all.update(Sha256::digest(file.to_string_lossy().as_bytes()));
            all.update(Sha256::digest(fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?));
        }
        Ok(hex::encode(all.finalize()))
    }
}

/// The file, or all that are in the folder.
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
    fn it_holds_until_a_file_changes_comes_or_goes() {
        // Paths that are absolute replace the root's.
        let folder = workspace::target("xtask/unit/stamp");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("inner")).unwrap();
        let path: &'static str = Box::leak(folder.display().to_string().into_boxed_str());
        let stamp = Stamp { name: "unit/stamp-holds", of: Box::leak(Box::new([path])) };
        let _ = fs::remove_file(stamp.place());
        assert!(!stamp.holds());
        let (one, two) = (folder.join("one"), folder.join("inner/two"));
        for (file, text) in [(&one, Some("a")), (&one, Some("b")), (&two, Some("")), (&one, None)] {
            text.map_or_else(|| fs::remove_file(file), |text| fs::write(file, text)).unwrap();
            assert!(!stamp.holds(), "{}", file.display());
            stamp.set().unwrap();
            assert!(stamp.holds());
        }
    }
}
