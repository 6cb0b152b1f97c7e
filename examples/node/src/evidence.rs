//! Evidence of equivocation for third parties: a node keeps it in files, which anyone verifies with the genesis alone.
//!
//! A file is JSON: the chain, the member and its name, the key that signed twice (`voting` or `identity`), kind, epoch and view
//! of the two statements, and `equivocation`, the encoding of [`Equivocation`] in hexadecimal digits.
//! [`Verifier::verify`] compares the other fields with the encoding, and accepts only kinds of statements of which an honest
//! member never signs two: the protocol names them (`Protocol::proves_fault`).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use quorate::Error;
use quorate::certificate::{Equivocation, Kind};
use quorate::committee::{ChainId, Committee, Verified};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::genesis::{Committees, Genesis, Hex};
use crate::store::{create_dir, replace};
use crate::{NodeError, Result};

/// Maximum number of files about one member's statements of a kind in an epoch.
pub const MAX_FILES_PER_KIND: usize = 4;
/// Maximum number of files in the folder: faulty members must not fill the disk.
pub const MAX_FILES: usize = 4096;
/// Maximum size of a file that is read, in bytes.
const MAX_FILE: u64 = 16 << 10;
/// Maximum number of findings that wait for the disk. Further ones are dropped: the member signs twice again.
const MAX_WAITING: usize = 64;
/// The key that signed two contradicting statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SigningKey {
    /// The key of votes.
    Voting,
    /// The key of links, proposals and batches.
    Identity,
}

/// Two contradicting statements with signatures of one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTwice {
    key: SigningKey,
    member: MemberIndex,
    kind: u8,
    epoch: u64,
    view: u64,
    encoded: Vec<u8>,
}

/// A file with evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceFile {
    /// The chain.
    pub chain: Hex,
    /// Index of the member.
    pub member: MemberIndex,
    /// Its name.
    pub name: String,
    /// The key that signed twice.
    pub key: SigningKey,
    /// Kind of the two statements.
    pub kind: u8,
    /// Their epoch.
    pub epoch: u64,
    /// Their view, round, height or sequence number.
    pub view: u64,
    /// The encoded evidence.
    pub equivocation: Hex,
}

/// Verifies evidence about the members of a genesis.
pub struct Verifier<'a, S: Scheme> {
    genesis: &'a Genesis,
    committees: Committees<S>,
    proves_fault: fn(SigningKey, Kind) -> bool,
}

/// The folder in which a node keeps evidence.
#[derive(Debug)]
pub struct EvidenceFolder {
    path: PathBuf,
    chain: ChainId,
    /// Number of files by the beginnings of their names, and the number of all; `None` before the folder is read.
    kept: Option<(BTreeMap<String, usize>, usize)>,
}

/// Passes evidence to a thread that writes it, so that the disk delays no message.
#[derive(Clone, Debug)]
pub struct EvidenceSender(SyncSender<(SignedTwice, String)>);

impl SignedTwice {
    /// Evidence about a key.
    pub fn new<S: Scheme>(key: SigningKey, evidence: &Verified<Equivocation<S>>) -> Self {
        Self::unverified(key, evidence)
    }

    fn unverified<S: Scheme>(key: SigningKey, evidence: &Equivocation<S>) -> Self {
        let statement = evidence.votes().0.statement();
        Self {
            key,
            member: evidence.signer(),
            kind: statement.kind.number(),
            epoch: statement.epoch,
            view: statement.view,
            encoded: evidence.encode(),
        }
    }

    fn into_file(self, chain: ChainId, name: &str) -> EvidenceFile {
        let Self { key, member, kind, epoch, view, encoded } = self;
        let (chain, equivocation) = (Hex(chain.0.to_vec()), Hex(encoded));
        EvidenceFile { chain, member, name: name.to_owned(), key, kind, epoch, view, equivocation }
    }

    /// Beginning of the names of all files about the member's statements of the kind in the epoch.
    fn prefix(&self) -> String {
        let Self { member, kind, epoch, .. } = self;
        format!("epoch-{epoch}-member-{member}-kind-{kind}-")
    }
}

impl EvidenceFile {
    /// Reads a file. Its contents are not verified.
    ///
    /// # Errors
    /// [`NodeError::Io`] if it cannot be read; [`Error::Malformed`] if it is not evidence.
    pub fn load(path: &Path) -> Result<Self> {
        let io = |e| NodeError::file("reading the evidence", path, e);
        let mut text = Vec::new();
        File::open(path).map_err(io)?.take(MAX_FILE + 1).read_to_end(&mut text).map_err(io)?;
        if text.len() as u64 > MAX_FILE {
            return Err(Error::Malformed { what: "evidence file: longer than 16 KiB" }.into());
        }
        let malformed = |_| Error::Malformed { what: "evidence file: not the JSON of evidence" }.into();
        serde_json::from_slice(&text).map_err(malformed)
    }
}

impl<'a, S: Scheme> Verifier<'a, S> {
    /// Prepares the committees of a genesis. `proves_fault` is that of the genesis's protocol. Cost: two signature
    /// verifications per member.
    ///
    /// # Errors
    /// [`NodeError::Genesis`] for invalid keys.
    pub fn new(genesis: &'a Genesis, proves_fault: fn(SigningKey, Kind) -> bool) -> Result<Self> {
        Ok(Self { genesis, committees: genesis.committees()?, proves_fault })
    }

    /// Verifies that a member of the genesis signed two statements of which an honest member signs at most one. Cost: two
    /// signature verifications.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another chain or epoch, for a kind of which honest members sign several statements, or if
    /// a field contradicts the encoding; decoding errors; [`Error::BadSignature`] if the member did not sign both.
    pub fn verify(&self, file: &EvidenceFile) -> Result<()> {
        let wrong = |what| Err(Error::WrongContext { what }.into());
        if file.chain.0 != self.committees.chain.0 {
            return wrong("chain of the evidence");
        }
        if !(self.proves_fault)(file.key, Kind::new(file.kind)) {
            return wrong("kind of the statements: honest members sign several");
        }
        match file.key {
            SigningKey::Identity => check(file, &self.committees.identities),
            SigningKey::Voting => check(file, &self.committees.voters),
        }?;
        let member = self.genesis.members.get(usize::from(file.member));
        if member.is_none_or(|member| member.name != file.name) {
            return wrong("name in the evidence");
        }
        Ok(())
    }
}

fn check<S: Scheme>(file: &EvidenceFile, committee: &Committee<S>) -> Result<()> {
    let evidence = Equivocation::<S>::decode(&file.equivocation.0, &())?;
    let SignedTwice { member, kind, epoch, view, .. } = SignedTwice::unverified(file.key, &evidence);
    if (member, kind, epoch, view) != (file.member, file.kind, file.epoch, file.view) {
        return Err(Error::WrongContext { what: "member, kind, epoch or view in the evidence" }.into());
    }
    evidence.verify(committee)?;
    Ok(())
}

impl EvidenceFolder {
    /// The folder, which is created with the first file.
    pub fn new(path: PathBuf, chain: ChainId) -> Self {
        Self { path, chain, kept: None }
    }

    /// Starts the thread that writes the files. It ends with the last sender.
    ///
    /// # Errors
    /// [`NodeError::Io`] if the system refuses a thread.
    pub fn start(self) -> Result<EvidenceSender> {
        let (sender, findings) = sync_channel(MAX_WAITING);
        let thread = thread::Builder::new().name("evidence".to_owned()).spawn(move || self.run(&findings));
        thread.map_err(|source| NodeError::Io { during: "starting a thread", path: None, source })?;
        Ok(EvidenceSender(sender))
    }

    fn run(mut self, findings: &Receiver<(SignedTwice, String)>) {
        while let Ok((evidence, name)) = findings.recv() {
            match self.keep(evidence, &name) {
                Ok(Some(file)) => tracing::warn!(
                    code = "EVIDENCE",
                    peer = name,
                    file = %file.display(),
                    "a member signed two contradicting statements; `quorate evidence` verifies the file"
                ),
                Ok(None) => {}
                Err(error) => tracing::warn!(code = "EVIDENCE_NOT_KEPT", %error, "evidence is lost"),
            }
        }
    }

    /// Writes a file, durably. Returns its path; `None` if it exists, or if there are enough, or were enough attempts, about
    /// [these statements](MAX_FILES_PER_KIND) or [in all](MAX_FILES).
    ///
    /// # Errors
    /// [`NodeError::Io`].
    pub fn keep(&mut self, evidence: SignedTwice, name: &str) -> Result<Option<PathBuf>> {
        let prefix = evidence.prefix();
        let path = self.path.join(format!("{prefix}view-{}.json", evidence.view));
        let (by_prefix, all) = self.kept.get_or_insert_with(|| count(&self.path));
        let kept = by_prefix.entry(prefix).or_default();
        if *kept >= MAX_FILES_PER_KIND || *all >= MAX_FILES || path.exists() {
            return Ok(None);
        }
        // Counted before the attempt: a full disk must not be tried without end.
        (*kept, *all) = (*kept + 1, *all + 1);
        create_dir(&self.path)?;
        let text = serde_json::to_string_pretty(&evidence.into_file(self.chain, name)).unwrap_or_default();
        let written = replace(&path, |file| writeln!(file, "{text}"));
        if written.is_err() {
            let _ = fs::remove_file(path.with_extension("new"));
        }
        written.map(|()| Some(path))
    }
}

impl EvidenceSender {
    /// Passes evidence about the member with this name to the thread. Never waits.
    pub fn send(&self, evidence: SignedTwice, name: &str) {
        // With a full queue or after the end of the thread, the evidence is dropped.
        let _ = self.0.try_send((evidence, name.to_owned()));
    }
}

/// Counts the files of a folder by the beginnings of their names.
fn count(folder: &Path) -> (BTreeMap<String, usize>, usize) {
    let (mut by_prefix, mut all) = (BTreeMap::new(), 0);
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if let Some((prefix, _)) = name.strip_suffix(".json").and_then(|name| name.split_once("view-")) {
            *by_prefix.entry(prefix.to_owned()).or_default() += 1;
            all += 1;
        }
    }
    (by_prefix, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed_twice(epoch: u64, member: MemberIndex, view: u64) -> SignedTwice {
        SignedTwice { key: SigningKey::Voting, member, kind: 1, epoch, view, encoded: vec![1, 2] }
    }

    #[test]
    fn a_member_cannot_fill_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("evidence");
        let mut folder = EvidenceFolder::new(path.clone(), ChainId::from_name("a"));
        let mut keep = |evidence| folder.keep(evidence, "name").unwrap().is_some();
        assert!(keep(signed_twice(0, 1, 7)) && !keep(signed_twice(0, 1, 7)), "it is kept once");
        assert_eq!((0..100).filter(|view| keep(signed_twice(0, 1, *view))).count(), MAX_FILES_PER_KIND - 1);
        // Another member may have the index in a later epoch.
        assert!(keep(signed_twice(1, 1, 7)));
        let mut restarted = EvidenceFolder::new(path.clone(), ChainId::from_name("a"));
        assert_eq!(restarted.keep(signed_twice(0, 1, 200), "name").unwrap(), None);
        assert!(restarted.keep(signed_twice(0, 2, 200), "name").unwrap().is_some());
        let file = EvidenceFile::load(&path.join("epoch-0-member-2-kind-1-view-200.json")).unwrap();
        assert_eq!((file.member, file.view, file.equivocation), (2, 200, Hex(vec![1, 2])));
    }

    #[test]
    fn failures_end_and_leave_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = EvidenceFolder::new(dir.path().into(), ChainId::from_name("a"));
        // A folder in the place of each file.
        let names = (0..100).map(|view| format!("epoch-0-member-1-kind-1-view-{view}"));
        names.for_each(|name| fs::create_dir(dir.path().join(name).with_extension("new")).unwrap());
        let keep = |view| folder.keep(signed_twice(0, 1, view), "name");
        assert_eq!((0..100).map(keep).filter(Result::is_err).count(), MAX_FILES_PER_KIND);
    }

    #[test]
    fn garbage_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file.json");
        for garbage in [b"".to_vec(), b"{}".to_vec(), b"[1]".to_vec(), vec![b' '; 20_000]] {
            fs::write(&path, garbage).unwrap();
            assert_eq!(EvidenceFile::load(&path).unwrap_err().code(), "MALFORMED");
        }
        assert_eq!(EvidenceFile::load(dir.path()).unwrap_err().code(), "IO");
    }
}
