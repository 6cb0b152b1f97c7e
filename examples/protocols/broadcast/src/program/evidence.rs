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
const MOST: usize = 8;
/// File name extension.
const EXTENSION: &str = "evidence";

/// Evidence directory in a member's data directory.
pub(crate) struct Evidence {
    dir: PathBuf,
    terms: GroupParameters,
}

impl Evidence {
    /// Returns the evidence store of a data directory. Creates nothing before there is evidence.
    pub(crate) fn new(data: &Path, terms: GroupParameters) -> Self {
        Self { dir: data.join("evidence"), terms }
    }

    /// Persists evidence and returns its path. If the culprit's limit is reached, returns the path of an existing
    /// file.
    ///
    /// # Errors
    /// The error of the file system.
    pub(crate) fn keep<S: Encode>(&self, evidence: &Equivocation<S>) -> Result<PathBuf, NodeError> {
        let bytes = encode(&self.terms, evidence);
        files::create_dir(&self.dir)?;
        let path = self.path(evidence.culprit, &bytes);
        let before = self.against(evidence.culprit)?;
        if before.len() >= MOST
            && let Some(one) = before.into_iter().next()
        {
            return Ok(one);
        }
        files::replace(&path, |file| std::io::Write::write_all(file, &bytes)).inspect_err(|_| {
            // An incomplete file is useless and takes space.
            let _ = fs::remove_file(path.with_extension("new"));
        })?;
        Ok(path)
    }

    /// The name is derived from the content, so that equal evidence has one name.
    fn path(&self, culprit: MemberIndex, bytes: &[u8]) -> PathBuf {
        let [a, b, c, d, e, f, g, h, ..] = digest(bytes);
        let name = hex::encode([a, b, c, d, e, f, g, h]);
        self.dir.join(format!("{culprit}-{name}.{EXTENSION}"))
    }

    /// Returns the files against a member.
    fn against(&self, culprit: MemberIndex) -> Result<Vec<PathBuf>, NodeError> {
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

    const TERMS: GroupParameters =
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
        let evidence = Evidence::new(data.path(), TERMS);
        assert!(!data.path().join("evidence").exists());
        let path = evidence.keep(&against(2, 1)).unwrap();
        assert_eq!(evidence.keep(&against(2, 1)).unwrap(), path);
        assert_eq!(names(data.path()).len(), 1);
        let bytes = fs::read(&path).unwrap();
        assert_eq!(decode(&bytes).unwrap(), (TERMS, &against(2, 1).encode()[..]));
        for sequence in 0..20 {
            assert!(evidence.keep(&against(2, sequence)).unwrap().exists());
        }
        assert_eq!(names(data.path()).len(), MOST);
        // Member 2 is not confused with member 22.
        evidence.keep(&against(22, 1)).unwrap();
        assert_eq!(names(data.path()).len(), MOST + 1);
    }

    #[test]
    fn a_full_disk_is_an_error_and_leaves_no_file() {
        let data = tempfile::tempdir().unwrap();
        let evidence = Evidence::new(data.path(), TERMS);
        let bytes = encode(&TERMS, &against(1, 1));
        let path = evidence.path(1, &bytes);
        fs::create_dir(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/dev/full", path.with_extension("new")).unwrap();
        let error = evidence.keep(&against(1, 1)).unwrap_err().to_string();
        assert!(error.contains("No space left"), "{error}");
        assert!(names(data.path()).is_empty());
        assert_eq!(evidence.keep(&against(1, 1)).unwrap(), path, "and later writes succeed");
    }
}
