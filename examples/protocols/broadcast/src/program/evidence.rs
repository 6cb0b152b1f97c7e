//! Evidence on disk: what a member holds against another survives the member, and convinces whoever has the group file.

use std::fs;
use std::path::{Path, PathBuf};

use quorate::machine::MemberIndex;
use quorate::wire::Encode;
use quorate_broadcast::evidence::encode;
use quorate_broadcast::{Equivocation, GroupParameters, digest};
use quorate_node::NodeError;
use quorate_node::store::files;

/// So many files are kept against one member: one convinces, and a member that is caught again in each of its lives
/// must not fill the disk.
const MOST: usize = 8;
/// The last part of a file's name.
const EXTENSION: &str = "evidence";

/// Where evidence is kept: a directory in that of the member.
pub(crate) struct Evidence {
    dir: PathBuf,
    terms: GroupParameters,
}

impl Evidence {
    /// For a member with this data directory. Makes nothing before there is something to keep.
    pub(crate) fn new(data: &Path, terms: GroupParameters) -> Self {
        Self { dir: data.join("evidence"), terms }
    }

    /// Makes evidence durable and returns where it is. If there are many files against this member already it returns
    /// one of those.
    ///
    /// # Errors
    /// Why the disk does not take it.
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
            // Half a file is of no use, and takes what room there is.
            let _ = fs::remove_file(path.with_extension("new"));
        })?;
        Ok(path)
    }

    /// The same evidence has the same name.
    fn path(&self, culprit: MemberIndex, bytes: &[u8]) -> PathBuf {
        let [a, b, c, d, e, f, g, h, ..] = digest(bytes);
        let name = hex::encode([a, b, c, d, e, f, g, h]);
        self.dir.join(format!("{culprit}-{name}.{EXTENSION}"))
    }

    /// The files against a member.
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
    fn what_is_kept_is_read_again_and_there_is_not_much_of_one_member() {
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
        // Not a prefix of another member's.
        evidence.keep(&against(22, 1)).unwrap();
        assert_eq!(names(data.path()).len(), MOST + 1);
    }

    #[test]
    fn a_full_disk_is_an_error_and_leaves_nothing_behind() {
        let data = tempfile::tempdir().unwrap();
        let evidence = Evidence::new(data.path(), TERMS);
        let bytes = encode(&TERMS, &against(1, 1));
        let path = evidence.path(1, &bytes);
        fs::create_dir(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/dev/full", path.with_extension("new")).unwrap();
        let error = evidence.keep(&against(1, 1)).unwrap_err().to_string();
        assert!(error.contains("No space left"), "{error}");
        assert!(names(data.path()).is_empty());
        assert_eq!(evidence.keep(&against(1, 1)).unwrap(), path, "and it goes on");
    }
}
