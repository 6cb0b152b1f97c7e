//! The replica.
use std::sync::Arc;

use quorate::Result;
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::wire::Decode;

use crate::block::{Committees, Executed};
use crate::interface::{Command, Evidence, Output, Status, Timer};
use crate::message::Message;
use crate::parameters::Parameters;
use crate::record::Record;

/// What a replica is made of.
pub struct Config<S: Scheme> {
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
    /// The application's state before block 1.
    pub genesis_root: Hash,
    /// What the application has executed durably: delivery goes on after it. After the genesis: height 0 and
    /// `genesis_root`.
    pub executed: Executed,
    /// The number of the first batch of a member that has no records: higher than any that this identity used
    /// before. 1 for a new identity; seconds since 1970 × 2¹⁶ whenever a data directory is made.
    pub first_sequence: u64,
    /// Pace and limits.
    pub parameters: Parameters,
}

/// One validator.
pub struct Replica<S: Scheme> {
    committees: Committees<S>,
    next_sequence: u64,
}

impl<S: Scheme> Replica<S> {
    /// A replica that goes on where `records` end; without records, a new one.
    ///
    /// # Errors
    /// Committees that do not belong together, keys that are not the member's, records of another chain or key.
    pub fn new(config: Config<S>, records: impl IntoIterator<Item = Record<S>>) -> Result<Self> {
        let committees = Committees { voters: config.voters, identities: config.identities };
        drop(records.into_iter());
        Ok(Self { committees, next_sequence: config.first_sequence })
    }

    /// The number for this member's next batch.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// What decoders need to know; a link can use it to decode on its own thread.
    pub fn committees(&self) -> &Committees<S> {
        &self.committees
    }

    /// A few numbers.
    pub fn status(&self) -> Status {
        Status {
            view: 0,
            leader: 0,
            certified_view: 0,
            committed: 0,
            delivered: 0,
            timeouts: 0,
            outstanding: 0,
            pending: 0,
            catching_up: false,
        }
    }
}

impl<S: Scheme> Machine for Replica<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Timer;
    type Record = Record<S>;
    type Output = Output<S>;
    type Fault = Evidence<S>;

    fn decode(&self, _from: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        Message::decode(bytes, &self.committees)
    }

    fn handle(&mut self, _now: Time, _input: Input<Self>) -> Step<Self> {
        Step::new()
    }
}
