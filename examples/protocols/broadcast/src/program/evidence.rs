//! Storage of evidence, which survives the member and is verifiable with the group file.

use std::fs;
use std::path::{Path, PathBuf};

use quorate::machine::MemberIndex;
use quorate::wire::Encode;
use quorate_broadcast::evidence::encode;
use quorate_broadcast::{Equivocation, GroupParameters, digest};
use quorate_node::NodeError;
use quorate_node::store::files;

/// Maximum number of files per culprit. One suffices as proof, and a culprit caught again after each restart must not
/// fill the disk.
const MAX_FILES_PER_CULPRIT: usize = 8;
/// File name extension.
const EXTENSION: &str = "evidence";

/// The evidence directory within a member's data directory.
pub(crate) struct Evidence {
    dir: PathBuf,
    group_parameters: GroupParameters,
}

impl Evidence {
    /// Returns the evidence store of a data directory. Creates nothing before there is evidence.
    pub(crate) fn new(data: &Path, group_parameters: GroupParameters) -> Self {
        Self { dir: data.join("evidence"), group_parameters }
    }

    /// Persists evidence and returns its path. If the culprit's limit is reached, returns the path of an existing
    /// file.
    ///
    /// # Errors
    /// The error of the file system.
    pub(crate) fn store<S: Encode>(&self, evidence: &Equivocation<S>) -> Result<PathBuf, NodeError> {
        let bytes = encode(&self.group_parameters, evidence);
        files::create_dir(&self.dir)?;
        let path = self.path(evidence.culprit, &bytes);
        let before = self.files_against(evidence.culprit)?;
        if before.len() >= MAX_FILES_PER_CULPRIT
            && let Some(one) = before.into_iter().next()
        {
            return Ok(one);
        }
        files::replace(&path, |file| std::io::Write::write_all(file, &bytes)).inspect_err(|_| {
            // An incomplete file proves nothing and takes space.
            let _ = fs::remove_file(path.with_extension("new"));
        })?;
        Ok(path)
    }

    /// Returns the path of evidence. Its name is derived from the content, so that equal evidence has one file.
    fn path(&self, culprit: MemberIndex, bytes: &[u8]) -> PathBuf {
        let [a, b, c, d, e, f, g, h, ..] = digest(bytes);
        let name = hex::encode([a, b, c, d, e, f, g, h]);
        self.dir.join(format!("{culprit}-{name}.{EXTENSION}"))
    }

    /// Returns the files against a member.
    fn files_against(&self, culprit: MemberIndex) -> Result<Vec<PathBuf>, NodeError> {
        let error = |e| NodeError::file("reading the directory", &self.dir, e);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.dir).map_err(error)? {
            let path = entry.map_err(error)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(&format!("{culprit}-")) && path.extension().is_some_and(|e| e == EXTENSION) {
                found.push(path);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use quorate::ed25519::Ed25519;
    use quorate::scheme::Scheme;
    use quorate_broadcast::evidence::decode;
    use quorate_broadcast::{AuthenticationKind, Slot};

    use super::*;

    const GROUP_PARAMETERS: GroupParameters =
        GroupParameters { authentication: AuthenticationKind::Eddsa, tail: 128, max_message: 16 << 10 };

    fn against(culprit: u16, sequence: u64) -> Equivocation<<Ed25519 as Scheme>::Signature> {
        let key = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
        let word = |digest: u8| ([digest; 32], Ed25519::sign(&key, &[digest]));
        Equivocation { culprit, slot: Slot { sender: 0, sequence }, attestations: [word(1), word(2)] }
    }

    fn names(data: &Path) -> Vec<String> {
        let entries = fs::read_dir(data.join("evidence")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn evidence_is_readable_and_bounded_per_member() {
        let data = tempfile::tempdir().unwrap();
        let evidence = Evidence::new(data.path(), GROUP_PARAMETERS);
        assert!(!data.path().join("evidence").exists());
        let path = evidence.store(&against(2, 1)).unwrap();
        assert_eq!(evidence.store(&against(2, 1)).unwrap(), path);
        assert_eq!(names(data.path()).len(), 1);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(decode(&bytes).unwrap(), (GROUP_PARAMETERS, &against(2, 1).encode()[..]));
        for sequence in 0..20 {
            assert!(evidence.store(&against(2, sequence)).unwrap().exists());
        }
        assert_eq!(names(data.path()).len(), MAX_FILES_PER_CULPRIT);
        // Member 2 is not confused with member 22.
        evidence.store(&against(22, 1)).unwrap();
        assert_eq!(names(data.path()).len(), MAX_FILES_PER_CULPRIT + 1);
    }

    #[test]
    fn a_full_disk_is_an_error_and_leaves_no_file() {
        let data = tempfile::tempdir().unwrap();
        let evidence = Evidence::new(data.path(), GROUP_PARAMETERS);
        let bytes = encode(&GROUP_PARAMETERS, &against(1, 1));
        let path = evidence.path(1, &bytes);
        fs::create_dir(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/dev/full", path.with_extension("new")).unwrap();
        let error = evidence.store(&against(1, 1)).unwrap_err().to_string();
        assert!(error.contains("No space left"), "{error}");
        assert!(names(data.path()).is_empty());
        assert_eq!(evidence.store(&against(1, 1)).unwrap(), path, "later writes succeed");
    }
}
