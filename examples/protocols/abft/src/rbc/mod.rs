//! Reliable broadcast (RBC): one sender, and either all correct members deliver the same message or none delivers.
//!
//! The protocol is Bracha's (reference 33 of the paper) with the dispersal of Cachin and Tessaro (reference 11), in
//! the form of HoneyBadger BFT (reference 3, Figure 2). N is the number of members, f < N/3 the number of faulty ones,
//! k = N − 2f the number of data shards (the paper's section II.B).
//!
//! 1. The sender disperses its message and sends shard i to member i: **Value**.
//! 2. A member that receives its first Value from the sender sends the shard to all: **Echo**.
//! 3. On N − f Echoes of one commitment a member decodes. If the shards encode one message, it sends **Ready** with
//!    the identity of the commitment; it sends one Ready only.
//! 4. On f + 1 Readies of one identity a member sends Ready for it, if it has not sent one.
//! 5. On 2f + 1 Readies of one identity and k of its shards a member decodes and delivers.
//!
//! * **Agreement**: two commitments cannot both have N − f Echoes, because N − 2f > f members would have echoed both.
//! * **Totality**: 2f + 1 Readies include f + 1 from correct members, which make all correct members send Ready. The
//!   first correct Ready followed N − f Echoes, of which at least k are from correct members and reach all.
//! * **Validity**: a correct sender's message is echoed by N − f members.
//!
//! Deviation from HoneyBadger BFT: a Ready and all counts are for the identity of the commitment, which covers code,
//! shape, length and root. The root alone does not determine the length.
//!
//! **Memory**: one shard and one identity for each member, and the working memory of the coder. **Cost**: each member
//! sends its shard to all, N/(N − 2f) times the message; it decodes once.

mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use quorate::erasure::{CheckedShard, Coder, Coding, Dispersal, Shape};
use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::threshold::Tolerance;
use quorate::wire::Decode;
use quorate::{Error, Result};

pub use message::{CommitmentId, Message};

use crate::checks::{Check, Checks};
use crate::compose::Never;
use crate::violation::Violation;

/// The parameters of one reliable broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Numbers of members and of faulty members.
    pub tolerance: Tolerance,
    /// The code, with the maximum length of a message.
    pub coding: Coding,
    /// This member.
    pub me: MemberIndex,
    /// The member whose message is broadcast.
    pub sender: MemberIndex,
}

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Broadcasts a message. It is accepted once, from the sender.
    Broadcast(Vec<u8>),
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The broadcast's message, once.
    Delivered {
        /// Identity of the commitment to the message.
        id: CommitmentId,
        /// The message.
        value: Vec<u8>,
    },
    /// The command was refused: this member is not the sender, has already broadcast, or the message is too long.
    Refused(Error),
}

/// One instance of reliable broadcast at one member. See the [module](self).
#[derive(Debug)]
pub struct ReliableBroadcast {
    config: Config,
    checks: Checks,
    coder: Coder,
    has_broadcast: bool,
    /// The commitment of the Value that this member echoed.
    echoed: Option<CommitmentId>,
    /// The first Echo of each member.
    echoes: BTreeMap<MemberIndex, (CommitmentId, CheckedShard)>,
    /// The first Ready of each member.
    readies: BTreeMap<MemberIndex, CommitmentId>,
    ready_sent: bool,
    /// The verdict on the last decoded commitment: its message, or `None` if its shards are inconsistent.
    decoded: Option<(CommitmentId, Option<Vec<u8>>)>,
    delivered: bool,
}

impl ReliableBroadcast {
    /// Creates an instance.
    ///
    /// # Errors
    /// [`Error::BadShape`] unless the code has N − 2f data shards and 2f parity shards; [`Error::UnknownSigner`] for
    /// a member or sender outside the committee.
    pub fn new(config: Config) -> Result<Self> {
        Self::with_checks(config, Checks::default())
    }

    pub(crate) fn with_checks(config: Config, checks: Checks) -> Result<Self> {
        let (members, faulty) = (config.tolerance.parties(), config.tolerance.faulty());
        if config.coding.shape() != Shape::for_committee(members, faulty)? {
            return Err(Error::BadShape {
                rule: "a broadcast has N − 2f data shards and 2f parity shards"
            });
        }
        for index in [config.me, config.sender] {
            if index >= members {
                return Err(Error::UnknownSigner { index: index.into() });
            }
        }
        Ok(Self {
            config,
            checks,
            coder: Coder::new(config.coding)?,
            has_broadcast: false,
            echoed: None,
            echoes: BTreeMap::new(),
            readies: BTreeMap::new(),
            ready_sent: false,
            decoded: None,
            delivered: false,
        })
    }

    /// Returns true if the message was delivered.
    pub fn is_delivered(&self) -> bool {
        self.delivered
    }

    fn members(&self) -> usize {
        self.config.tolerance.parties().into()
    }

    fn faulty(&self) -> usize {
        self.config.tolerance.faulty().into()
    }

    fn broadcast(&mut self, value: &[u8], step: &mut Step<Self>) {
        if self.config.me != self.config.sender || self.has_broadcast {
            return step.output(Output::Refused(Error::WrongContext { what: "sender of the broadcast" }));
        }
        let dispersal = match self.coder.disperse(value) {
            Ok(dispersal) => dispersal,
            Err(error) => return step.output(Output::Refused(error)),
        };
        self.has_broadcast = true;
        for member in 0..self.config.tolerance.parties() {
            let Ok(shard) = dispersal.shard(member.into()) else { continue };
            if member == self.config.me {
                self.on_value(member, shard, step);
            } else {
                step.send(member, Message::Value(shard));
            }
        }
    }

    fn on_value(&mut self, from: MemberIndex, shard: CheckedShard, step: &mut Step<Self>) {
        if from != self.config.sender && self.checks.has(Check::RbcSender) {
            return step
                .fault(from, Violation::Refused { what: "Value from a member that is not the sender" });
        }
        if shard.index() != usize::from(self.config.me) && self.checks.has(Check::RbcOwnShard) {
            return step.fault(from, Violation::Refused { what: "Value with the shard of another member" });
        }
        let id = shard.commitment().identity();
        match self.echoed {
            Some(echoed) if echoed == id => {}
            Some(_) => step.fault(from, Violation::Contradiction { what: "Value" }),
            None => {
                self.echoed = Some(id);
                step.broadcast(Message::Echo(shard.clone()));
                self.on_echo(self.config.me, shard, step);
            }
        }
    }

    fn on_echo(&mut self, from: MemberIndex, shard: CheckedShard, step: &mut Step<Self>) {
        if shard.index() != usize::from(from) && self.checks.has(Check::RbcShardIndex) {
            return step.fault(from, Violation::Refused { what: "Echo with the shard of another member" });
        }
        if self.delivered {
            return;
        }
        let id = shard.commitment().identity();
        match self.echoes.get(&from) {
            Some((_, before)) if *before == shard => {}
            Some(_) => step.fault(from, Violation::Contradiction { what: "Echo" }),
            None => {
                self.echoes.insert(from, (id, shard));
                self.advance(id, step);
            }
        }
    }

    fn on_ready(&mut self, from: MemberIndex, id: CommitmentId, step: &mut Step<Self>) {
        if self.delivered {
            return;
        }
        // Without the check each Ready counts for a member of its own.
        let voter =
            if self.checks.has(Check::RbcOneReady) { from } else { self.readies.len() as MemberIndex };
        match self.readies.get(&voter) {
            Some(before) if *before == id => {}
            Some(_) => step.fault(from, Violation::Contradiction { what: "Ready" }),
            None => {
                self.readies.insert(voter, id);
                self.advance(id, step);
            }
        }
    }

    /// Applies rules 3 to 5 to a commitment of which a message arrived.
    fn advance(&mut self, id: CommitmentId, step: &mut Step<Self>) {
        let echoes = self.echoes.values().filter(|(echoed, _)| *echoed == id).count();
        let quorum =
            if self.checks.has(Check::RbcEchoQuorum) { self.members() - self.faulty() } else { self.data() };
        if !self.ready_sent && echoes >= quorum && self.decode(id, step) {
            self.send_ready(id, step);
        }
        if !self.ready_sent && self.count_readies(id) > self.faulty() {
            self.send_ready(id, step);
        }
        let needed =
            if self.checks.has(Check::RbcReadyQuorum) { 2 * self.faulty() + 1 } else { self.faulty() + 1 };
        if !self.delivered && self.count_readies(id) >= needed && echoes >= self.data() {
            self.deliver(id, step);
        }
    }

    fn data(&self) -> usize {
        self.config.coding.shape().data()
    }

    fn count_readies(&self, id: CommitmentId) -> usize {
        self.readies.values().filter(|ready| **ready == id).count()
    }

    fn send_ready(&mut self, id: CommitmentId, step: &mut Step<Self>) {
        self.ready_sent = true;
        step.broadcast(Message::Ready(id));
        self.readies.insert(self.config.me, id);
    }

    /// Decodes a commitment once. Returns true if its shards encode one message.
    fn decode(&mut self, id: CommitmentId, step: &mut Step<Self>) -> bool {
        if let Some((decoded, value)) = &self.decoded
            && *decoded == id
        {
            return value.is_some();
        }
        let shards = self.echoes.values().filter(|(echoed, _)| *echoed == id);
        let shards: Vec<CheckedShard> = shards.map(|(_, shard)| shard.clone()).collect();
        let value = self.coder.decode(&shards).ok().map(Dispersal::into_message);
        if value.is_none() {
            step.fault(self.config.sender, Violation::InconsistentShards);
        }
        let is_consistent = value.is_some();
        self.decoded = Some((id, value));
        is_consistent
    }

    fn deliver(&mut self, id: CommitmentId, step: &mut Step<Self>) {
        // With at most f faulty members decoding succeeds: a correct member decoded before the first correct Ready.
        if !self.decode(id, step) {
            return;
        }
        if let Some((_, Some(value))) = self.decoded.take() {
            self.delivered = true;
            self.echoes.clear();
            self.readies.clear();
            step.output(Output::Delivered { id, value });
        }
    }
}

impl Machine for ReliableBroadcast {
    type Message = Message;
    type Command = Command;
    type Timer = Never;
    type Record = Never;
    type Output = Output;
    type Fault = Violation;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message> {
        Message::decode(bytes, &self.config.coding)
    }

    fn handle(&mut self, _: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => {}
            Input::Timer(never) => match never {},
            Input::Command(Command::Broadcast(value)) => self.broadcast(&value, &mut step),
            Input::Message { from, message } => match message {
                Message::Value(shard) => self.on_value(from, shard, &mut step),
                Message::Echo(shard) => self.on_echo(from, shard, &mut step),
                Message::Ready(id) => self.on_ready(from, id, &mut step),
            },
        }
        step
    }
}
