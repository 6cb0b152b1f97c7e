use std::sync::Arc;

use quorate::Result;
use quorate::bls::{MinSig, Signature};
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::bls::{self, GroupKey, KeyShare, ShareFault, SignatureShare, Signing};
use quorate::threshold::{Agreement, Tolerance};
use quorate::wire::Encode;
use rand_core::TryCryptoRng;

use super::collector::{Shares, collected};
use super::scheme::{Collected, ShareCollector, Signed, ThresholdScheme};
use crate::compose::Never;

/// BLS threshold signatures with 48-byte signatures. Cost: two pairings per verification.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bls {}

impl Bls {
    /// Creates the instance whose shares are combined.
    pub fn signing(key: &Arc<GroupKey<MinSig>>, statement: &[u8]) -> Signing<MinSig> {
        Signing::new(key.clone(), statement)
    }
}

impl ThresholdScheme for Bls {
    type GroupKey = GroupKey<MinSig>;
    type KeyShare = KeyShare<MinSig>;
    type Share = SignatureShare<MinSig>;
    type Signature = Signature<MinSig>;
    type Opening = Never;
    type Collector = Shares<Signing<MinSig>>;
    /// There is one signature on a statement.
    type Known = Option<Signature<MinSig>>;

    fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        rng: &mut R,
    ) -> Result<Vec<Self::KeyShare>> {
        bls::deal(committee, tolerance, agreement, rng)
    }

    fn group_key(share: &Self::KeyShare) -> Arc<Self::GroupKey> {
        share.key().clone()
    }

    fn member(share: &Self::KeyShare) -> MemberIndex {
        share.member()
    }

    fn sign(share: &Self::KeyShare, statement: &[u8]) -> Self::Share {
        share.sign(statement)
    }

    fn collector(key: &Arc<Self::GroupKey>, statement: &[u8]) -> Self::Collector {
        Shares::new(Self::signing(key, statement))
    }

    /// Cost: two pairings in all; for more than one signature also two short multiplications for each.
    fn verify_all(key: &Self::GroupKey, signed: &[Signed<'_, Self>]) -> Result<()> {
        let is_unknown = |one: &&Signed<'_, Self>| one.known.and_then(Option::as_ref) != Some(one.signature);
        let unknown: Vec<_> =
            signed.iter().filter(is_unknown).map(|one| (one.statement, one.signature)).collect();
        match unknown.as_slice() {
            [(statement, signature)] => key.verify(statement, signature),
            unknown => key.verify_many(unknown),
        }
    }

    fn remember(signature: &Self::Signature, known: &mut Self::Known) {
        *known = Some(signature.clone());
    }

    fn signature_len(_: &Self::GroupKey) -> usize {
        48
    }
}

impl ShareCollector<Bls> for Shares<Signing<MinSig>> {
    fn add(&mut self, from: MemberIndex, share: SignatureShare<MinSig>) -> Result<Collected<Bls>> {
        Ok(collected(Shares::add(self, from, share)?, |signature| signature, ShareFault::encode))
    }

    fn open(&mut self, _: MemberIndex, opening: &Never) -> Result<Collected<Bls>> {
        match *opening {}
    }
}
