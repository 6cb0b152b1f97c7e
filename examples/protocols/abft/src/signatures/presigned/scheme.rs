use std::fmt;
use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::committee::CommitteeId;
use quorate::guard::GuardRecord;
use quorate::machine::MemberIndex;
use quorate::threshold::ecdsa::Opening;
use quorate::threshold::{Agreement, Tolerance, bls};
use quorate::{Error, Result};
use rand_core::TryCryptoRng;

use super::collector::PresignedCollector;
use super::group::PresignatureGroup;
use super::presigner::{Answer, Presigner};
use super::types::{Presigned, PresignedShare, PresignedSignature};
use crate::signatures::{Bls, Signed, ThresholdScheme};

/// The public keys of a committee for one threshold, and this member's presignatures.
pub struct PresignedKey {
    bls: Arc<bls::GroupKey<MinSig>>,
    presigner: Option<Arc<Presigner>>,
}

/// A member's secret key share for one threshold, and its presignatures.
pub struct PresignedKeyShare {
    bls: bls::KeyShare<MinSig>,
    key: Arc<PresignedKey>,
}

impl PresignedKeyShare {
    /// Puts a member's keys together. Without a presigner the member signs with BLS and verifies BLS signatures only.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for presignatures of another committee or member.
    pub fn new(bls: bls::KeyShare<MinSig>, presigner: Option<Arc<Presigner>>) -> Result<Self> {
        let group = bls.key();
        let fits = presigner.as_ref().is_none_or(|presigner| {
            let key = presigner.key();
            key.committee() == group.committee()
                && key.tolerance() == group.tolerance()
                && presigner.member() == bls.member()
        });
        if !fits {
            return Err(Error::WrongContext { what: "committee or member of the presignatures" });
        }
        let key = Arc::new(PresignedKey { bls: group.clone(), presigner });
        Ok(Self { bls, key })
    }

    /// Returns the share of the BLS key.
    pub fn bls(&self) -> &bls::KeyShare<MinSig> {
        &self.bls
    }

    pub(super) fn presigner(&self) -> Option<&Arc<Presigner>> {
        self.key.presigner.as_ref()
    }

    fn bls_share(&self, statement: &[u8]) -> PresignedShare {
        PresignedShare::Bls(Box::new(self.bls.sign(statement)))
    }
}

impl ThresholdScheme for Presigned {
    type GroupKey = PresignedKey;
    type KeyShare = PresignedKeyShare;
    type Share = PresignedShare;
    type Opening = Opening<PresignatureGroup>;
    type Signature = PresignedSignature;
    type Collector = PresignedCollector;
    /// There is at most one signature of each kind on a statement.
    type Known = Vec<PresignedSignature>;

    /// Deals the keys of BLS. A [`Presigner`] is added to each member's share.
    fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        rng: &mut R,
    ) -> Result<Vec<PresignedKeyShare>> {
        let shares = bls::deal(committee, tolerance, agreement, rng)?;
        shares.into_iter().map(|share| PresignedKeyShare::new(share, None)).collect()
    }

    fn group_key(share: &PresignedKeyShare) -> Arc<PresignedKey> {
        share.key.clone()
    }

    fn member(share: &PresignedKeyShare) -> MemberIndex {
        share.bls.member()
    }

    fn sign(share: &PresignedKeyShare, statement: &[u8]) -> PresignedShare {
        share.bls_share(statement)
    }

    fn shares(share: &PresignedKeyShare, statement: &[u8]) -> Vec<PresignedShare> {
        match share.presigner().map_or(Answer::Without, |presigner| presigner.sign(statement)) {
            Answer::Without => vec![share.bls_share(statement)],
            Answer::Refused => Vec::new(),
            Answer::Share { share: presigned, falls_back } => {
                let mut shares = vec![PresignedShare::Ecdsa(Box::new(presigned))];
                shares.extend(falls_back.then(|| share.bls_share(statement)));
                shares
            }
        }
    }

    fn kind(share: &PresignedShare) -> u8 {
        match share {
            PresignedShare::Ecdsa(_) => 1,
            PresignedShare::Bls(_) => 2,
        }
    }

    fn collector(key: &Arc<PresignedKey>, statement: &[u8]) -> PresignedCollector {
        PresignedCollector::new(&key.bls, key.presigner.as_deref(), statement)
    }

    /// Cost: two multiplications in one pass for each ECDSA signature; for those of BLS as for [`Bls`].
    fn verify_all(key: &PresignedKey, signed: &[Signed<'_, Self>]) -> Result<()> {
        let mut bls = Vec::new();
        let is_unknown =
            |one: &&Signed<'_, Self>| !one.known.is_some_and(|known| known.contains(one.signature));
        for one in signed.iter().filter(is_unknown) {
            match (one.signature, &key.presigner) {
                (PresignedSignature::Bls(signature), _) => {
                    bls.push(Signed { statement: one.statement, signature, known: None });
                }
                (PresignedSignature::Ecdsa(signature), Some(presigner)) => {
                    presigner.key().verify_message(one.statement, signature)?;
                }
                (PresignedSignature::Ecdsa(_), None) => {
                    return Err(Error::BadSignature { signers: Vec::new() });
                }
            }
        }
        Bls::verify_all(&key.bls, &bls)
    }

    fn remember(signature: &PresignedSignature, known: &mut Vec<PresignedSignature>) {
        if !known.contains(signature) {
            known.push(signature.clone());
        }
    }

    fn signature_len(_: &PresignedKey) -> usize {
        65
    }

    fn opening(share: &PresignedKeyShare, statement: &[u8]) -> Option<Opening<PresignatureGroup>> {
        share.presigner()?.opening(statement)
    }

    fn open_epoch(share: &PresignedKeyShare, epoch: u64, was_open: bool) -> bool {
        share.presigner().is_some_and(|presigner| presigner.open_epoch(epoch, was_open))
    }

    fn fall_back(share: &PresignedKeyShare, epoch: u64) {
        if let Some(presigner) = share.presigner() {
            presigner.fall_back(epoch);
        }
    }

    fn fallback_share(share: &PresignedKeyShare, statement: &[u8]) -> Option<PresignedShare> {
        share.presigner()?.has_signed(statement).then(|| share.bls_share(statement))
    }

    fn close_epochs(share: &PresignedKeyShare, up_to: u64) {
        if let Some(presigner) = share.presigner() {
            presigner.close_epochs(up_to);
        }
    }

    fn take_records(share: &PresignedKeyShare) -> Vec<GuardRecord> {
        share.presigner().map(|presigner| presigner.take_records()).unwrap_or_default()
    }

    fn epochs_left(share: &PresignedKeyShare) -> Option<u64> {
        share.presigner().map(|presigner| presigner.epochs_left())
    }
}

impl fmt::Debug for PresignedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PresignedKey({:?}, {:?})", self.bls.id(), self.presigner)
    }
}
