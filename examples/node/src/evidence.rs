//! Evidence of equivocation for third parties: a node keeps it in files, which anyone verifies with the genesis alone.
//!
//! A file is JSON: the chain, the member and its name, the key that signed twice (`voting` or `identity`), kind, epoch and view
//! of the two statements, and `equivocation`, the encoding of [`Equivocation`] in hexadecimal digits. The other fields
//! are for people; [`EvidenceFile::verify`] compares them with the encoding.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use quorate::Error;
use quorate::bls::MinSig;
use quorate::certificate::Equivocation;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use serde::{Deserialize, Serialize};

use crate::genesis::{Genesis, Hex, SchemeName};
use crate::store::{create_dir, replace};
use crate::{NodeError, Result};

/// Maximum number of files that are kept about one member: a faulty member must not fill the disk.
pub const MAX_FILES_PER_MEMBER: usize = 16;
/// Maximum size of a file that is read, in bytes.
const MAX_FILE: u64 = 16 << 10;

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

/// The folder in which a node keeps evidence.
#[derive(Debug)]
pub struct EvidenceFolder {
    path: PathBuf,
    chain: ChainId,
    kept: BTreeMap<MemberIndex, usize>,
}

impl SignedTwice {
    /// Evidence about a key.
    pub fn new<S: Scheme>(key: SigningKey, evidence: &Equivocation<S>) -> Self {
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
}

impl EvidenceFile {
    /// Reads a file. Its contents are not verified.
    ///
    /// # Errors
    /// [`NodeError::Io`] if it cannot be read; [`Error::Malformed`] if it is not evidence.
    pub fn load(path: &Path) -> Result<Self> {
        let io = |e| NodeError::file("reading the evidence", path, e);
        if fs::metadata(path).map_err(io)?.len() > MAX_FILE {
            return Err(Error::Malformed { what: "evidence: longer than any" }.into());
        }
        let text = fs::read(path).map_err(io)?;
        serde_json::from_slice(&text).map_err(|_| Error::Malformed { what: "evidence: other JSON" }.into())
    }

    /// Verifies that a member of the genesis signed two contradicting statements. Cost: two signature verifications for
    /// each member of the genesis, and two more.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another chain or epoch, or if a field contradicts the encoding; decoding errors;
    /// [`Error::BadSignature`] if the member did not sign both.
    pub fn verify(&self, genesis: &Genesis) -> Result<()> {
        if self.chain.0 != genesis.chain_id().0 {
            return Err(Error::WrongContext { what: "chain of the evidence" }.into());
        }
        match (self.key, genesis.scheme) {
            (SigningKey::Identity, SchemeName::Bls) => {
                self.check(&genesis.committees::<MinSig>()?.identities)
            }
            (SigningKey::Identity, SchemeName::Ed25519) => {
                self.check(&genesis.committees::<Ed25519>()?.identities)
            }
            (SigningKey::Voting, SchemeName::Bls) => self.check(&genesis.committees::<MinSig>()?.voters),
            (SigningKey::Voting, SchemeName::Ed25519) => self.check(&genesis.committees::<Ed25519>()?.voters),
        }?;
        let member = genesis.members.get(usize::from(self.member));
        if member.is_none_or(|member| member.name != self.name) {
            return Err(Error::WrongContext { what: "name in the evidence" }.into());
        }
        Ok(())
    }

    fn check<S: Scheme>(&self, committee: &Committee<S>) -> Result<()> {
        let evidence = Equivocation::<S>::decode(&self.equivocation.0, &())?;
        let SignedTwice { member, kind, epoch, view, .. } = SignedTwice::new(self.key, &evidence);
        if (member, kind, epoch, view) != (self.member, self.kind, self.epoch, self.view) {
            return Err(Error::WrongContext { what: "member, kind, epoch or view in the evidence" }.into());
        }
        evidence.verify(committee)?;
        Ok(())
    }
}

impl EvidenceFolder {
    /// The folder, which is created with the first file.
    pub fn new(path: PathBuf, chain: ChainId) -> Self {
        Self { path, chain, kept: BTreeMap::new() }
    }

    /// Writes a file, durably. Returns its path; `None` if it exists, or if there are
    /// [enough](MAX_FILES_PER_MEMBER) about the member.
    ///
    /// # Errors
    /// [`NodeError::Io`].
    pub fn keep(&mut self, evidence: SignedTwice, name: &str) -> Result<Option<PathBuf>> {
        let SignedTwice { member, kind, epoch, view, .. } = evidence;
        let kept = self.kept.entry(member).or_insert_with(|| count(&self.path, member));
        let path = self.path.join(format!("{}{kind}-{epoch}-{view}.json", prefix(member)));
        if *kept >= MAX_FILES_PER_MEMBER || path.exists() {
            return Ok(None);
        }
        create_dir(&self.path)?;
        let text = serde_json::to_string_pretty(&evidence.into_file(self.chain, name)).unwrap_or_default();
        replace(&path, |file| writeln!(file, "{text}"))?;
        *kept += 1;
        Ok(Some(path))
    }
}

fn prefix(member: MemberIndex) -> String {
    format!("member-{member}-")
}

/// Number of the files about a member.
fn count(folder: &Path, member: MemberIndex) -> usize {
    let prefix = prefix(member);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix)).count()
}

#[cfg(test)]
mod tests {
    use quorate::certificate::{Kind, Statement, Vote};

    use super::*;
    use crate::genesis::Member;
    use crate::keys::NodeKeys;

    fn signed_twice(member: MemberIndex, view: u64) -> (Genesis, SignedTwice) {
        let keys: Vec<_> = (0..4).map(|_| NodeKeys::generate(SchemeName::Bls).unwrap()).collect();
        let members = keys.iter().zip(0..).map(|(keys, n)| Member {
            name: format!("node{n}"),
            address: format!("127.0.0.1:{}", 7000 + n),
            weight: 1,
            keys: keys.public().unwrap(),
        });
        let genesis = Genesis::new("evidence", SchemeName::Bls, members.collect());
        let committee = genesis.committees::<MinSig>().unwrap().voters;
        let vote = |digest| {
            let statement = Statement { kind: Kind::new(1), epoch: 0, view, digest: [digest; 32] };
            Vote::sign_unguarded(
                &keys[usize::from(member)].voting::<MinSig>().unwrap(),
                &committee,
                statement,
            )
            .unwrap()
        };
        let evidence = Equivocation::new(vote(1), vote(2)).unwrap();
        (genesis, SignedTwice::new(SigningKey::Voting, &evidence))
    }

    #[test]
    fn a_third_party_verifies_a_file_with_the_genesis_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (genesis, evidence) = signed_twice(1, 7);
        let name = genesis.members[1].name.clone();
        let mut folder = EvidenceFolder::new(dir.path().join("evidence"), genesis.chain_id());
        let path = folder.keep(evidence.clone(), &name).unwrap().unwrap();
        assert_eq!(folder.keep(evidence, &name).unwrap(), None, "it is kept once");
        let file = EvidenceFile::load(&path).unwrap();
        file.verify(&genesis).unwrap();
        let code = |file: &EvidenceFile| file.verify(&genesis).unwrap_err().code();
        let mut forged = file.clone();
        *forged.equivocation.0.last_mut().unwrap() ^= 1;
        assert!(["BAD_SIGNATURE", "MALFORMED", "NOT_IN_SUBGROUP", "BAD_ENCODING"].contains(&code(&forged)));
        assert_eq!(code(&EvidenceFile { member: 0, ..file.clone() }), "WRONG_CONTEXT");
        assert_eq!(code(&EvidenceFile { name: "other".into(), ..file.clone() }), "WRONG_CONTEXT");
        assert_eq!(code(&EvidenceFile { chain: Hex(vec![1; 32]), ..file.clone() }), "WRONG_CONTEXT");
        assert_ne!(code(&EvidenceFile { key: SigningKey::Identity, ..file }), "");
        for garbage in ["", "{}", "[1]", "\u{0}"] {
            fs::write(&path, garbage).unwrap();
            assert_eq!(EvidenceFile::load(&path).unwrap_err().code(), "MALFORMED");
        }
    }

    #[test]
    fn a_member_cannot_fill_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let (genesis, evidence) = signed_twice(0, 1);
        let keep = |folder: &mut EvidenceFolder, view| {
            folder.keep(SignedTwice { view, ..evidence.clone() }, "a").unwrap().is_some()
        };
        let mut folder = EvidenceFolder::new(dir.path().into(), genesis.chain_id());
        assert_eq!((0..100).filter(|view| keep(&mut folder, *view)).count(), MAX_FILES_PER_MEMBER);
        let mut restarted = EvidenceFolder::new(dir.path().into(), genesis.chain_id());
        assert!(!keep(&mut restarted, 200));
    }
}
