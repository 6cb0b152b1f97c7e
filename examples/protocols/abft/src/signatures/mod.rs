//! Threshold signatures as the protocols use them: t members sign a statement, and anyone verifies the result.
//!
//! | scheme | signature | share of a signature | dealer |
//! |---|---|---|---|
//! | [`Bls`] | 48 B, unique | 87 B | yes |
//! | [`Ed25519List`] | t signatures of 64 B | 66 B | no |
//!
//! The paper's section II.A.1 uses threshold ECDSA. Its presignatures are consumed, and a member must never use one
//! twice, which needs records that survive a crash; a machine that keeps no records must not use them.

mod bls;
mod collector;
mod list;

use std::fmt::Debug;
use std::sync::Arc;

use quorate::Result;
use quorate::committee::CommitteeId;
use quorate::machine::MemberIndex;
use quorate::threshold::combiner::Instance;
use quorate::threshold::{Agreement, Tolerance};
use quorate::wire::{Decode, Encode};
use rand_core::TryCryptoRng;

pub use bls::Bls;
pub use list::{Ed25519List, ListKey, ListKeyShare, ListShare, ListSignature, ListSigning};

pub(crate) use collector::Collector;

/// A threshold signature scheme whose shares are verified without openings.
pub trait ThresholdScheme: Copy + Eq + Debug + 'static {
    /// The public keys of a committee for one threshold.
    type GroupKey: Debug + Send + Sync;
    /// A member's secret key share.
    type KeyShare: Send + Sync;
    /// A member's share of a signature.
    type Share: Encode + Decode + Clone + Debug + PartialEq;
    /// A signature of t members.
    type Signature: Encode + Decode + Clone + Debug + PartialEq;
    /// A statement, for the [`Combiner`](quorate::threshold::Combiner) of its shares.
    type Signing: Instance<Share = Self::Share, Signature = Self::Signature, Opening = ()> + Debug;

    /// The signatures on one statement that a member has verified.
    type Known: Default + Send;

    /// Makes the key shares of a committee, in the order of its members.
    ///
    /// # Errors
    /// [`Error::Rng`](quorate::Error::Rng) if the generator fails.
    fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        agreement: Agreement,
        rng: &mut R,
    ) -> Result<Vec<Self::KeyShare>>;

    /// Returns the public keys.
    fn group_key(share: &Self::KeyShare) -> Arc<Self::GroupKey>;

    /// Returns the member that holds a key share.
    fn member(share: &Self::KeyShare) -> MemberIndex;

    /// Signs a statement.
    fn sign(share: &Self::KeyShare, statement: &[u8]) -> Self::Share;

    /// Creates the instance whose shares are combined.
    fn signing(key: &Arc<Self::GroupKey>, statement: &[u8]) -> Self::Signing;

    /// Verifies a signature.
    ///
    /// # Errors
    /// [`Error::BadSignature`](quorate::Error::BadSignature) or the defect of the signature.
    fn verify(key: &Self::GroupKey, statement: &[u8], signature: &Self::Signature) -> Result<()>;

    /// Verifies a signature, except for what is known. The verdict is that of [`verify`](Self::verify).
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    fn verify_unknown(
        key: &Self::GroupKey,
        statement: &[u8],
        signature: &Self::Signature,
        known: &Self::Known,
    ) -> Result<()>;

    /// Remembers a valid signature.
    fn remember(signature: &Self::Signature, known: &mut Self::Known);

    /// Returns the length of an encoded signature in bytes.
    fn signature_len(key: &Self::GroupKey) -> usize;

    /// Encodes the evidence against a wrong share.
    fn encode_evidence(evidence: &<Self::Signing as Instance>::Evidence) -> Vec<u8>;
}
