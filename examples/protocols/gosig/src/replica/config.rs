//! The configuration of a replica.

use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate_protocol::signing_history::SigningHistory;

use crate::block::{Executed, GosigScheme};
use crate::membership::Anchor;
use crate::parameters::{Parameters, Schedule};

/// Configuration of a replica for one epoch.
pub struct Config<S: GosigScheme> {
    /// The members with their voting keys.
    pub voters: Arc<Committee<S>>,
    /// The same members in the same order with their identity keys. Chain and epoch are those of the voters.
    pub identities: Arc<Committee<Ed25519>>,
    /// This member's index; `None` for an observer, which learns, delivers and serves committed blocks and signs nothing.
    pub me: Option<MemberIndex>,
    /// Voting key of the member or observer.
    pub voting_key: S::SecretKey,
    /// Identity key of the member or observer.
    pub identity_key: <Ed25519 as Scheme>::SecretKey,
    /// The block on which the epoch begins: [`Anchor::genesis`], or the anchor of the [`Successor`](crate::Successor) that
    /// ended the epoch before.
    pub anchor: Anchor,
    /// The state that the application has executed durably; delivery continues after it. For a new chain: height 0 and the
    /// state before block 1.
    pub executed: Executed,
    /// Older states that the application remembers, if possible those of the last 512 heights. Other members may name them
    /// in their blocks, and this member prepares only blocks whose states it knows.
    pub recent_states: Vec<Executed>,
    /// Identifiers of transactions in the last committed blocks, as far as the driver remembers them. This member does not
    /// propose them again.
    pub committed_transactions: Vec<Hash>,
    /// What is known about the signatures of the keys. [`SigningHistory::Complete`] is wrong after any restart.
    pub history: SigningHistory,
    /// The schedule of rounds, the same for all members.
    pub schedule: Schedule,
    /// Timing and limits of this member.
    pub parameters: Parameters,
    /// 32 random bytes, new for each start. They choose the peers to send to and the coefficients of batch verification.
    pub entropy: [u8; 32],
}
