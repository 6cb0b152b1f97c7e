//! Evidence against other replicas, in one file each. The machine finds evidence against a replica only once, so that what cannot
//! be written is kept, and written later.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use quorate::machine::MemberIndex;
use quorate::wire::Encode;

use super::store::{sync_folder, write_whole};
use super::{Exit, Failure, OrFail};
use crate::Equivocation;

/// Pause between two attempts to write evidence.
const RETRY: Duration = Duration::from_secs(1);

/// The folder of the evidence.
pub(super) struct EvidenceFolder<S> {
    path: PathBuf,
    /// Evidence that could not be written yet, at most once per replica.
    unsaved: Vec<Equivocation<S>>,
    next_attempt: Instant,
}

impl<S: Encode> EvidenceFolder<S> {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, unsaved: Vec::new(), next_attempt: Instant::now() }
    }

    /// Writes evidence, and returns its file once it is durable. Evidence that cannot be written is kept.
    pub(super) fn save(&mut self, evidence: Equivocation<S>) -> Result<PathBuf, Failure> {
        let written = self.write(&evidence);
        if written.is_err() {
            self.unsaved.push(evidence);
            self.next_attempt = Instant::now() + RETRY;
        }
        written
    }

    /// Tries again to write what was kept, at most once per second. Returns the replicas and the files that were written.
    pub(super) fn retry(&mut self) -> Vec<(MemberIndex, PathBuf)> {
        if self.unsaved.is_empty() || Instant::now() < self.next_attempt {
            return Vec::new();
        }
        let mut saved = Vec::new();
        for evidence in std::mem::take(&mut self.unsaved) {
            let culprit = evidence.culprit;
            saved.extend(self.save(evidence).ok().map(|path| (culprit, path)));
        }
        saved
    }

    fn write(&self, evidence: &Equivocation<S>) -> Result<PathBuf, Failure> {
        let Equivocation { culprit, view, slot, .. } = evidence;
        let path = self.path.join(format!("{culprit}-{view}-{slot}.evidence"));
        let written = fs::create_dir_all(&self.path)
            .and_then(|()| sync_folder(&self.path))
            .and_then(|()| write_whole(&path, &evidence.encode()));
        written.or_fail(Exit::Failed, path.display())?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use quorate_broadcast::authentication::Unsigned;

    use super::*;
    use crate::Value;
    use crate::value::Request;

    #[test]
    fn evidence_that_cannot_be_written_is_kept_until_it_can() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evidence");
        let request = Value::Request(Request { client: 0, sequence: 1, operation: [0; 8] });
        let evidence =
            |culprit| Equivocation::new(culprit, 0, 1, (Value::Noop, Unsigned), (request, Unsigned));
        let mut folder = EvidenceFolder::new(path.clone());
        // A file where the folder belongs.
        fs::write(&path, []).unwrap();
        assert!(folder.save(evidence(2)).is_err());
        assert!(folder.retry().is_empty(), "too early");
        folder.next_attempt = Instant::now();
        assert!(folder.retry().is_empty());
        fs::remove_file(&path).unwrap();
        assert_eq!(folder.save(evidence(3)).unwrap(), path.join("3-0-1.evidence"));
        folder.next_attempt = Instant::now();
        let saved = path.join("2-0-1.evidence");
        assert_eq!(folder.retry(), [(2, saved.clone())]);
        assert_eq!(fs::read(saved).unwrap(), evidence(2).encode());
        assert!(folder.retry().is_empty());
    }
}
