//! The interface of a threshold signature scheme.

use std::fmt::Debug;
use std::sync::Arc;

use quorate::Result;
use quorate::committee::CommitteeId;
use quorate::guard::GuardRecord;
use quorate::machine::{Fault, MemberIndex};
use quorate::threshold::{Agreement, Tolerance};
use quorate::wire::{Decode, Encode};
use rand_core::TryCryptoRng;

/// A threshold signature scheme.
pub trait ThresholdScheme: Copy + Eq + Debug + 'static {
    /// The public keys of a committee for one threshold.
    type GroupKey: Debug + Send + Sync;
    /// A member's secret key share.
    type KeyShare: Send + Sync;
    /// A member's share of a signature.
    type Share: Encode + Decode + Clone + Debug + PartialEq;
    /// Data that verifies a share which is in doubt; a type without values if shares are verified without it.
    type Opening: Encode + Decode + Clone + Debug + PartialEq;
    /// A signature of t members.
    type Signature: Encode + Decode + Clone + Debug + PartialEq;
    /// The shares of one statement.
    type Collector: ShareCollector<Self>;

    /// The signatures on one statement that a member has verified.
    type Known: Default + Debug + Send;

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

    /// Signs a statement, without a presignature.
    fn sign(share: &Self::KeyShare, statement: &[u8]) -> Self::Share;

    /// Returns the shares with which a member signs a statement of a running epoch: one, or none if the member's records
    /// show that it has signed another one, or two once the epoch has [fallen back](Self::fall_back).
    fn shares(share: &Self::KeyShare, statement: &[u8]) -> Vec<Self::Share> {
        vec![Self::sign(share, statement)]
    }

    /// Returns the number of the kind of a share. A member may send one share of each kind.
    fn kind(_share: &Self::Share) -> u8 {
        0
    }

    /// Starts to collect the shares of a statement.
    fn collector(key: &Arc<Self::GroupKey>, statement: &[u8]) -> Self::Collector;

    /// Verifies a signature.
    ///
    /// # Errors
    /// [`Error::BadSignature`](quorate::Error::BadSignature) or the defect of the signature.
    fn verify(key: &Self::GroupKey, statement: &[u8], signature: &Self::Signature) -> Result<()> {
        Self::verify_all(key, &[Signed { statement, signature, known: None }])
    }

    /// Verifies signatures of several statements together: all are valid, or the call fails. What is known is not verified
    /// again, which changes no verdict.
    ///
    /// # Errors
    /// As [`verify`](Self::verify), without the statement.
    fn verify_all(key: &Self::GroupKey, signed: &[Signed<'_, Self>]) -> Result<()>;

    /// Remembers a valid signature.
    fn remember(signature: &Self::Signature, known: &mut Self::Known);

    /// Returns the maximum length of an encoded signature in bytes.
    fn signature_len(key: &Self::GroupKey) -> usize;

    /// Returns the opening of the share with which a member signed a statement; `None` if it has none.
    fn opening(_share: &Self::KeyShare, _statement: &[u8]) -> Option<Self::Opening> {
        None
    }

    /// Reads the presignatures of an epoch that starts. `was_open` is true if an earlier process signed with them. Returns true if
    /// this epoch must be recorded as one with presignatures.
    fn open_epoch(_share: &Self::KeyShare, _epoch: u64, _was_open: bool) -> bool {
        false
    }

    /// Signs in a running epoch without presignatures, too, because it makes no progress.
    fn fall_back(_share: &Self::KeyShare, _epoch: u64) {}

    /// Returns the share without a presignature for a statement that a presignature signed; `None` for other statements.
    fn fallback_share(_share: &Self::KeyShare, _statement: &[u8]) -> Option<Self::Share> {
        None
    }

    /// Destroys the presignatures of all epochs up to one, whose blocks are durable.
    fn close_epochs(_share: &Self::KeyShare, _up_to: u64) {}

    /// Returns the records of presignatures that were used since the last call. Make them durable before a share leaves.
    fn take_records(_share: &Self::KeyShare) -> Vec<GuardRecord> {
        Vec::new()
    }

    /// Returns the number of epochs for which the member has presignatures; `None` for schemes without.
    fn epochs_left(_share: &Self::KeyShare) -> Option<u64> {
        None
    }
}

/// A signature to verify.
#[derive(Debug)]
pub struct Signed<'a, S: ThresholdScheme> {
    /// The statement.
    pub statement: &'a [u8],
    /// Its signature.
    pub signature: &'a S::Signature,
    /// The signatures on this statement that were verified before.
    pub known: Option<&'a S::Known>,
}

/// Collects the shares of one statement. Memory: one share for each member and kind of share.
pub trait ShareCollector<S: ThresholdScheme>: Debug + Send {
    /// Adds a share that a link delivered from `from`.
    ///
    /// # Errors
    /// As [`Combiner::add`](quorate::threshold::Combiner::add).
    fn add(&mut self, from: MemberIndex, share: S::Share) -> Result<Collected<S>>;

    /// Adds the opening of a share. It is ignored unless it was wanted.
    ///
    /// # Errors
    /// As [`Combiner::open`](quorate::threshold::Combiner::open).
    fn open(&mut self, from: MemberIndex, opening: &S::Opening) -> Result<Collected<S>>;
}

/// Result of adding a share or an opening.
#[derive(Debug)]
pub struct Collected<S: ThresholdScheme> {
    /// The signature, once available.
    pub signature: Option<S::Signature>,
    /// Members whose shares are in doubt: their openings are needed.
    pub wanted: Vec<MemberIndex>,
    /// Members that sent wrong shares, with the encoded evidence.
    pub faults: Vec<Fault<Vec<u8>>>,
}

impl<S: ThresholdScheme> Default for Collected<S> {
    fn default() -> Self {
        Self { signature: None, wanted: Vec::new(), faults: Vec::new() }
    }
}
