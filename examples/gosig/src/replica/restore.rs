use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;

use crate::block::{Executed, Suite};
use crate::membership::Anchor;
use crate::parameters::{Parameters, Schedule};

/// What a replica is made of.
pub struct Config<S: Suite> {
    /// The members with their voting keys.
    pub voters: Arc<Committee<S>>,
    /// The same members in the same order with their identity keys; chain and epoch are the voters'.
    pub identities: Arc<Committee<Ed25519>>,
    /// This member.
    pub me: MemberIndex,
    /// Its voting key.
    pub voting_key: S::SecretKey,
    /// Its identity key.
    pub identity_key: <Ed25519 as Scheme>::SecretKey,
    /// Where the epoch begins: [`Anchor::genesis`], or what the epoch before ended with.
    pub anchor: Anchor,
    /// What the application has executed durably: delivery goes on after it. After the genesis: height 0 and the state
    /// before block 1.
    pub executed: Executed,
    /// Older states that the application remembers, as far as it can: best those of the last 512 heights. Others may
    /// name them in their blocks, and this member prepares only blocks whose states it knows.
    pub recent: Vec<Executed>,
    /// Identifiers of transactions in the last committed blocks, as far as they are remembered: this member does not
    /// propose them again.
    pub known: Vec<Hash>,
    /// What all members agree on.
    pub schedule: Schedule,
    /// Pace and limits.
    pub parameters: Parameters,
    /// 32 random bytes, new for each start: whom to tell what, and the coefficients of batch verification.
    pub entropy: [u8; 32],
}
