//! The presignatures of a chain: what the dealer deals for each epoch, and how a member keeps and destroys it.
//!
//! Public part, after the BLS keys of the genesis: ECDSA key ‖ a sealing key of 32 bytes for each member. The secret of a
//! member: its sealing key 32. The dealer's own secret: the ECDSA key 32. The file of an epoch is the member's
//! [presignatures](Presignatures::to_bytes), [sealed](quorate::threshold::seal) to its key, and has always the same length.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::sync::Arc;

use getrandom::SysRng;
use quorate::committee::CommitteeId;
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::Tolerance;
use quorate::threshold::ecdsa::{GroupKey, Presignatures, TrustedDealer};
use quorate::threshold::seal::{OVERHEAD, SealingKey, SealingPublicKey};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_abft::signatures::{PresignatureGroup, PresignatureSource, Presigner, plan};
use quorate_node::protocol::{Dealt, PresignatureFiles, presignature_epoch, presignature_file};
use quorate_node::store::files::wipe;
use zeroize::Zeroizing;

use crate::member::Member;

/// Bytes of a presignature in a file.
const EACH: usize = 161;
/// Bytes of a file besides presignatures and the roots of the members: keys, member and deal.
const HEAD: usize = 70 + 2 + 49;
/// Number of blocks after which the directory is read again, for files that were added meanwhile.
const REFRESH_AFTER: u64 = 8;

/// The public keys of presignatures.
pub struct PresigningKeys {
    key: Arc<GroupKey<PresignatureGroup>>,
    recipients: Vec<SealingPublicKey>,
}

/// Makes the keys of presignatures.
pub(crate) fn deal_keys(committee: CommitteeId, tolerance: Tolerance) -> Result<Dealt> {
    let dealer = TrustedDealer::<PresignatureGroup>::new(committee, tolerance, &mut SysRng)?;
    let keys = (0..tolerance.parties()).map(|_| SealingKey::generate(&mut SysRng));
    let keys: Vec<SealingKey> = keys.collect::<Result<_>>()?;
    let mut public = Writer::new();
    dealer.key().encode_to(&mut public);
    keys.iter().for_each(|key| key.public().encode_to(&mut public));
    let shares = keys.iter().map(|key| Zeroizing::new(key.to_bytes().to_vec())).collect();
    Ok(Dealt { public: public.into_bytes(), shares, dealer: Zeroizing::new(dealer.to_bytes().to_vec()) })
}

impl PresigningKeys {
    pub(crate) fn read(r: &mut Reader<'_>, tolerance: Tolerance) -> Result<Self> {
        let key = Arc::new(GroupKey::decode_from(r, &())?);
        let recipients = (0..tolerance.parties()).map(|_| SealingPublicKey::decode_from(r, &()));
        Ok(Self { key, recipients: recipients.collect::<Result<_>>()? })
    }

    pub(crate) fn fits(&self, committee: CommitteeId, tolerance: Tolerance) -> bool {
        self.key.committee() == committee && self.key.tolerance() == tolerance
    }

    /// Deals the presignatures of an epoch, sealed for each member.
    pub(crate) fn deal(
        &self,
        committee: CommitteeId,
        tolerance: Tolerance,
        dealer: &[u8],
        epoch: u64,
    ) -> Result<Vec<Vec<u8>>> {
        let other = Error::WrongContext { what: "secret of the dealer" };
        let secret = Zeroizing::new(<[u8; 32]>::try_from(dealer).map_err(|_| other.clone())?);
        let dealer = TrustedDealer::<PresignatureGroup>::from_bytes(committee, tolerance, &secret)?;
        if dealer.key().id() != self.key.id() {
            return Err(other);
        }
        let dealt = dealer.deal(epoch, plan(tolerance.parties()), &mut SysRng)?;
        let seal = |(recipient, dealt): (&SealingPublicKey, &Presignatures<PresignatureGroup>)| {
            recipient.seal(&context(&self.key, epoch, dealt.member()), &dealt.to_bytes()?, &mut SysRng)
        };
        self.recipients.iter().zip(&dealt).map(seal).collect()
    }

    /// Creates the presigner of a member.
    pub(crate) fn presigner(&self, member: &mut Member<'_>, key: &SealingKey) -> Result<Arc<Presigner>> {
        if self.recipients.get(usize::from(member.index)) != Some(&key.public()) {
            return Err(Error::WrongContext { what: "sealing key of the member" });
        }
        let identity = Ed25519::secret_from_bytes(&*Ed25519::secret_to_bytes(member.identity))?;
        let (directory, spent, destroyed) = match member.presignatures.take() {
            Some(PresignatureFiles { directory, spent, destroyed }) => {
                (Some(directory.to_owned()), spent, destroyed)
            }
            None => (None, Vec::new(), 0),
        };
        let guard = Guard::<Ed25519>::restore(identity, member.chain, spent)?;
        let mut source = SealedFiles {
            directory,
            key: SealingKey::from_bytes(&key.to_bytes())?,
            group: self.key.clone(),
            member: member.index,
            destroyed,
            epochs: BTreeSet::new(),
            calls: 0,
        };
        source.refresh();
        Ok(Presigner::new(self.key.clone(), member.index, guard, Box::new(source)))
    }
}

/// Context of a sealed file.
fn context(key: &GroupKey<PresignatureGroup>, epoch: u64, member: MemberIndex) -> Vec<u8> {
    let mut w = Writer::with_capacity(42);
    w.raw(&key.id().0);
    w.u64(epoch);
    w.u16(member);
    w.into_bytes()
}

/// The sealed files of a member, one for each epoch.
struct SealedFiles {
    /// `None` if the member has no directory.
    directory: Option<PathBuf>,
    key: SealingKey,
    group: Arc<GroupKey<PresignatureGroup>>,
    member: MemberIndex,
    /// Files of epochs up to this one are not used: they may be copies of destroyed ones.
    destroyed: u64,
    /// The epochs of the files, as far as they were seen.
    epochs: BTreeSet<u64>,
    /// Number of calls of [`destroy`](PresignatureSource::destroy).
    calls: u64,
}

impl SealedFiles {
    fn path(&self, epoch: u64) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(presignature_file(epoch)))
    }

    /// Reads the names of the files.
    fn refresh(&mut self) {
        let Some(entries) = self.directory.as_ref().and_then(|directory| fs::read_dir(directory).ok()) else {
            return;
        };
        self.epochs = entries.filter_map(|entry| presignature_epoch(&entry.ok()?.file_name())).collect();
    }

    /// Returns the length of each file.
    fn file_len(&self) -> usize {
        let parties = self.group.tolerance().parties();
        HEAD + 32 * usize::from(parties) + EACH * plan(parties).count() as usize + OVERHEAD
    }

    fn read(&self, epoch: u64) -> std::io::Result<Vec<u8>> {
        let path = self.path(epoch).ok_or(ErrorKind::NotFound)?;
        let mut sealed = Vec::with_capacity(self.file_len() + 1);
        File::open(path)?.take(self.file_len() as u64 + 1).read_to_end(&mut sealed)?;
        Ok(sealed)
    }

    fn unseal(&self, epoch: u64, sealed: &[u8]) -> Result<Presignatures<PresignatureGroup>> {
        let content = self.key.open(&context(&self.group, epoch, self.member), sealed)?;
        Presignatures::from_bytes(&content)
    }
}

impl PresignatureSource for SealedFiles {
    fn open(&mut self, epoch: u64) -> Option<Presignatures<PresignatureGroup>> {
        if epoch <= self.destroyed {
            return None;
        }
        let opened = match self.read(epoch) {
            Ok(sealed) => self.unseal(epoch, &sealed).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.epochs.remove(&epoch);
                return None;
            }
            Err(error) => Err(error.to_string()),
        };
        match opened {
            Ok(presignatures) => {
                self.epochs.insert(epoch);
                Some(presignatures)
            }
            Err(reason) => {
                tracing::warn!(
                    code = "PRESIGNATURES_UNUSABLE",
                    epoch,
                    reason,
                    "the presignatures of an epoch cannot be used; this validator signs it without them"
                );
                None
            }
        }
    }

    /// Overwrites the files and removes them. Copies may remain in the file system, but the journal prevents their use.
    fn destroy(&mut self, up_to: u64) {
        let later = up_to.checked_add(1).map(|next| self.epochs.split_off(&next)).unwrap_or_default();
        for epoch in std::mem::replace(&mut self.epochs, later) {
            if let Some(Err(error)) = self.path(epoch).map(|path| wipe(&path)) {
                tracing::warn!(
                    code = "PRESIGNATURES_NOT_DESTROYED",
                    epoch,
                    %error,
                    "the presignatures of an epoch that is over cannot be deleted"
                );
            }
        }
        self.calls += 1;
        if self.calls.is_multiple_of(REFRESH_AFTER) {
            self.refresh();
        }
    }

    fn left(&self) -> u64 {
        self.epochs.iter().filter(|epoch| **epoch > self.destroyed).count() as u64
    }

    fn refused(&mut self, epoch: u64, index: u32) {
        tracing::warn!(
            code = "PRESIGNATURE_REFUSED",
            epoch,
            index,
            "a presignature has signed another statement: the data is older than what this validator has sent"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of `spec/vectors/abft.json`, which the independent model sealed.
    #[test]
    fn the_file_of_the_vectors_is_opened() {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../../../../spec/vectors/abft.json")).unwrap();
        let setup = &vectors["setups"]["presigned"];
        let bytes = |value: &serde_json::Value| hex::decode(value.as_str().unwrap()).unwrap();
        let epoch = setup["presigned_epoch"].as_str().unwrap().parse().unwrap();
        let (dir, sealed) = (tempfile::tempdir().unwrap(), bytes(&setup["presignatures"]));
        fs::write(dir.path().join(presignature_file(epoch)), &sealed).unwrap();
        let secret = bytes(&setup["secrets"][0]["sealing"]);
        let source = |member| SealedFiles {
            directory: Some(dir.path().to_owned()),
            key: SealingKey::from_bytes(secret.as_slice().try_into().unwrap()).unwrap(),
            group: Arc::new(GroupKey::decode(&bytes(&setup["ecdsa"]), &()).unwrap()),
            member,
            destroyed: 0,
            epochs: BTreeSet::new(),
            calls: 0,
        };
        assert_eq!(source(0).file_len(), sealed.len());
        assert_eq!(source(0).open(epoch).map(|opened| opened.deal().epoch()), Some(epoch));
        assert!(source(1).open(epoch).is_none(), "the file of another member");
    }

    #[test]
    fn copies_of_destroyed_files_are_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let (committee, tolerance) = (CommitteeId([7; 32]), Tolerance::new(1, 0).unwrap());
        let Dealt { public, shares, dealer } = deal_keys(committee, tolerance).unwrap();
        let keys = PresigningKeys::read(&mut Reader::new(&public), tolerance).unwrap();
        for epoch in [1, 2] {
            let files = keys.deal(committee, tolerance, &dealer, epoch).unwrap();
            fs::write(dir.path().join(presignature_file(epoch)), &files[0]).unwrap();
        }
        let mut source = SealedFiles {
            directory: Some(dir.path().to_owned()),
            key: SealingKey::from_bytes(shares[0].as_slice().try_into().unwrap()).unwrap(),
            group: keys.key.clone(),
            member: 0,
            destroyed: 1,
            epochs: BTreeSet::new(),
            calls: 0,
        };
        source.refresh();
        assert_eq!(source.left(), 1);
        assert!(source.open(1).is_none() && source.open(2).is_some());
        source.destroy(2);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
