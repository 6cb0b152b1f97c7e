//! One epoch of the ordering protocol: encrypt, agree, decrypt. All correct members output the same transactions in the
//! same order.
//!
//! The construction is that of HoneyBadger BFT (reference 3 of the paper, its Figure 1) with TDH2 (reference 12) and
//! the common subset of Dumbo2, as the paper's section II combines them. N is the number of members.
//!
//! 1. A member chooses B/N of its first B pending transactions at random ([`Batch::choose`]) and encrypts them to the
//!    committee. The label of the ciphertext names committee, epoch and proposer.
//! 2. The members agree with [`acs`] on N − f of the ciphertexts.
//! 3. For each ciphertext of the subset, a member checks label and proof, and then sends its decryption share to all.
//!    **It sends none before the subset is decided**: then the order is fixed, and no member can choose transactions
//!    by their content. A ciphertext that fails the check counts as empty, and so does one that does not open to a
//!    batch; all correct members find the same.
//! 4. f + 1 shares open a ciphertext. They are combined before they are verified; a wrong share is found by the
//!    commitment in the payload, and its sender is named ([`Decryption`]).
//! 5. The output is the batches in the order of their proposers, starting with member `epoch mod N`, without
//!    transactions that occurred before in it. The driver drops what earlier epochs ordered.
//!
//! A copied ciphertext fails the check of its label, because the proof covers the proposer: a member cannot repeat
//! another's transactions before it can read them.
//!
//! **Without encryption** ([`Encryption`] is `None`) steps 1, 3 and 4 are left out. That saves one message delay and
//! the decryption. It loses censorship resistance: a faulty member, or the network, sees every batch before the
//! agreement and can delay the broadcasts that contain a transaction it dislikes.
//!
//! **Memory**: that of ACS, the ciphertexts of the subset, and one share for each member and proposer.

mod batch;
mod message;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use quorate::machine::{Input, Machine, MemberIndex, Step, Time};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::tdh2::{
    Ciphertext, Decryption, DecryptionShare, EncryptionKey, Header, KeyShare, OVERHEAD, PublicKeys,
    ShareFault,
};
use quorate::threshold::{Group, Ristretto255};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

pub use batch::{Batch, Transaction};
pub use message::Message;

use crate::acs::{self, CommonSubset};
use crate::checks::{Check, Checks};
use crate::compose::{Never, absorb};
use crate::random::SeededRandom;
use crate::setup::Context;
use crate::signatures::ThresholdScheme;
use crate::violation::Violation;

/// The keys of the committee's threshold encryption, with this member's share.
#[derive(Clone)]
pub struct Encryption {
    /// The key that encrypts and verifies ciphertexts.
    pub key: Arc<EncryptionKey>,
    /// The keys that verify decryption shares; f + 1 shares decrypt.
    pub public: Arc<PublicKeys>,
    /// This member's secret share.
    pub share: Arc<KeyShare>,
}

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Proposes transactions chosen from the pending ones, once. Without pending transactions the proposal is empty.
    Propose {
        /// The pending transactions, oldest first.
        pending: Vec<Transaction>,
        /// B, the number of transactions that all members together shall propose.
        batch: usize,
    },
    /// Signs again without presignatures.
    FallBack,
}

/// A transaction with the member that proposed it.
pub type Ordered = (MemberIndex, Transaction);

/// Results of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The transactions of the epoch in their order, once.
    Decided(Vec<Ordered>),
    /// The command was refused.
    Refused(Error),
    /// An internal operation failed; the machine cannot go on.
    Broken(Error),
}

/// One epoch at one member. See the [module](self).
pub struct Epoch<S: ThresholdScheme> {
    context: Context<S>,
    checks: Checks,
    encryption: Option<Encryption>,
    random: SeededRandom,
    subset: CommonSubset<S>,
    cache: Cache<<Ristretto255 as Group>::Scalar>,
    has_proposed: bool,
    state: State,
}

enum State {
    /// The subset is not decided. The first decryption share of each member and proposer waits, by proposer.
    Agreeing(BTreeMap<(MemberIndex, MemberIndex), DecryptionShare>),
    /// The subset is decided.
    Decrypting { closed: BTreeMap<MemberIndex, Box<Decryption>>, open: BTreeMap<MemberIndex, Batch> },
    /// The transactions were output.
    Done,
}

impl<S: ThresholdScheme> Epoch<S> {
    /// Creates the machine of the context's epoch. `seed` is secret and used once.
    ///
    /// # Errors
    /// Those of [`CommonSubset::new`]; [`Error::WrongContext`] for encryption keys of another committee or member.
    pub fn new(context: Context<S>, encryption: Option<Encryption>, seed: [u8; 32]) -> Result<Self> {
        Self::with_checks(context, encryption, seed, Checks::default())
    }

    pub(crate) fn with_checks(
        context: Context<S>,
        encryption: Option<Encryption>,
        seed: [u8; 32],
        checks: Checks,
    ) -> Result<Self> {
        if let Some(encryption) = &encryption {
            let committee = context.setup.committee;
            let fits = encryption.key.committee() == committee
                && encryption.public.committee() == committee
                && encryption.share.member() == context.me();
            if !fits {
                return Err(Error::WrongContext { what: "committee or member of the encryption keys" });
            }
            encryption.share.check(&encryption.public)?;
        }
        let mut random = SeededRandom::in_epoch(seed, &context);
        let subset = CommonSubset::with_checks(context.clone(), random.child(), checks)?;
        Ok(Self {
            context,
            checks,
            encryption,
            random,
            subset,
            cache: Cache::default(),
            has_proposed: false,
            state: State::Agreeing(BTreeMap::new()),
        })
    }

    /// Returns the bounds for decoders.
    pub fn limits(&self) -> acs::Limits {
        self.subset.limits()
    }

    /// Returns the maximum length of an encoded batch in bytes.
    pub fn max_batch(&self) -> usize {
        let overhead = if self.encryption.is_some() { Header::LEN + 4 + OVERHEAD } else { 0 };
        self.context.setup.coding.max_message().saturating_sub(overhead)
    }

    /// Returns the number of proposals that this member has delivered.
    pub fn delivered(&self) -> usize {
        self.subset.delivered()
    }

    /// Returns the number of decrypted proposals of the common subset; `None` while the members agree on it.
    pub fn opened(&self) -> Option<usize> {
        match &self.state {
            State::Agreeing(_) => None,
            State::Decrypting { open, .. } => Some(open.len()),
            State::Done => Some(self.context.setup.available()),
        }
    }

    fn propose(&mut self, now: Time, pending: &[Transaction], batch: usize, step: &mut Step<Self>) {
        if self.has_proposed {
            return step.output(Output::Refused(Error::WrongContext { what: "second proposal of an epoch" }));
        }
        self.has_proposed = true;
        let members = self.context.setup.members();
        let max_batch = self.max_batch();
        let chosen = Batch::choose(pending, batch, members, max_batch, &mut self.random);
        match chosen.and_then(|batch| self.encrypt(&batch.encode())) {
            Ok(value) => self.run_subset(now, Input::Command(acs::Command::Propose(value)), step),
            Err(error) => step.output(Output::Broken(error)),
        }
    }

    fn encrypt(&self, batch: &[u8]) -> Result<Vec<u8>> {
        let Some(encryption) = &self.encryption else { return Ok(batch.to_vec()) };
        let (epoch, me) = (self.context.epoch, self.context.me());
        // Two different batches are never encrypted with the same random numbers.
        let mut random = self.random.for_value(batch);
        Ok(encryption.key.encrypt(epoch, me, batch, &mut random)?.encode())
    }

    fn run_subset(&mut self, now: Time, input: Input<CommonSubset<S>>, step: &mut Step<Self>) {
        for output in absorb(self.subset.handle(now, input), step, Message::Subset) {
            match output {
                #[cfg(test)]
                acs::Output::Delivered { sender } if !self.checks.has(Check::EpochOrder) => {
                    self.release_early(sender, step);
                }
                acs::Output::Delivered { .. } => {}
                acs::Output::Decided(values) => self.on_subset(values, step),
                acs::Output::Refused(error) => step.output(Output::Refused(error)),
                acs::Output::Broken(error) => step.output(Output::Broken(error)),
            }
        }
    }

    /// Starts the decryption of the subset's ciphertexts.
    fn on_subset(&mut self, values: Vec<(MemberIndex, Vec<u8>)>, step: &mut Step<Self>) {
        let State::Agreeing(waiting) = &mut self.state else { return };
        let waiting = std::mem::take(waiting);
        self.state = State::Decrypting { closed: BTreeMap::new(), open: BTreeMap::new() };
        for (proposer, value) in values {
            match self.encryption.clone() {
                None => self.open(proposer, &value, step),
                Some(encryption) => self.decrypt(&encryption, proposer, &value, step),
            }
        }
        for ((proposer, from), share) in waiting {
            self.on_share(from, proposer, share, step);
        }
        self.finish(step);
    }

    /// Checks a ciphertext, and sends this member's share.
    fn decrypt(
        &mut self,
        encryption: &Encryption,
        proposer: MemberIndex,
        value: &[u8],
        step: &mut Step<Self>,
    ) {
        let started = self.check(encryption, proposer, value).and_then(|ciphertext| {
            let share = encryption.share.decryption_share(&ciphertext, &mut self.random)?;
            Ok((share, Decryption::new(encryption.public.clone(), ciphertext)?))
        });
        match (started, &mut self.state) {
            (Ok((share, decryption)), State::Decrypting { closed, .. }) => {
                closed.insert(proposer, Box::new(decryption));
                step.broadcast(Message::Decrypt { proposer, share: Box::new(share) });
                self.on_share(self.context.me(), proposer, share, step);
            }
            (Ok(_), _) => {}
            (Err(error), _) => {
                step.fault(proposer, Violation::Invalid { what: "ciphertext", error });
                self.insert(proposer, Batch::default());
            }
        }
    }

    fn check(
        &self,
        encryption: &Encryption,
        proposer: MemberIndex,
        value: &[u8],
    ) -> Result<quorate::threshold::tdh2::ValidCiphertext> {
        let ciphertext = Ciphertext::decode(value, &())?;
        if self.checks.has(Check::EpochCiphertext) {
            return ciphertext.check(&encryption.key, self.context.epoch, proposer);
        }
        let label = ciphertext.header().label;
        ciphertext.check(&encryption.key, label.epoch, label.proposer)
    }

    fn on_share(
        &mut self,
        from: MemberIndex,
        proposer: MemberIndex,
        share: DecryptionShare,
        step: &mut Step<Self>,
    ) {
        if share.member() != from && self.checks.has(Check::EpochSender) {
            return step.fault(from, Violation::Refused { what: "decryption share of another member" });
        }
        if self.encryption.is_none() {
            return step.fault(from, Violation::Refused { what: "decryption share without encryption" });
        }
        match &mut self.state {
            State::Agreeing(waiting) => match waiting.get(&(proposer, from)) {
                None => {
                    waiting.insert((proposer, from), share);
                }
                Some(before) if *before == share => {}
                Some(_) => step.fault(from, Violation::Contradiction { what: "decryption share" }),
            },
            State::Decrypting { closed, .. } => {
                let Some(decryption) = closed.get_mut(&proposer) else { return };
                let collected = match decryption.add(share, &mut self.cache) {
                    Ok(collected) => collected,
                    Err(error) => {
                        return step.fault(from, Violation::Invalid { what: "decryption share", error });
                    }
                };
                for fault in &collected.faults {
                    step.fault(fault.member(), wrong_share(fault));
                }
                match collected.output {
                    None => {}
                    Some(Ok(batch)) => self.open(proposer, &batch, step),
                    Some(Err(error)) => {
                        step.fault(proposer, Violation::Invalid { what: "payload of a ciphertext", error });
                        self.insert(proposer, Batch::default());
                    }
                }
                self.finish(step);
            }
            State::Done => {}
        }
    }

    /// Takes the plain batch of a proposer. One that does not decode counts as empty.
    fn open(&mut self, proposer: MemberIndex, bytes: &[u8], step: &mut Step<Self>) {
        let batch = Batch::decode(bytes, &()).unwrap_or_else(|error| {
            step.fault(proposer, Violation::Invalid { what: "batch", error });
            Batch::default()
        });
        self.insert(proposer, batch);
    }

    fn insert(&mut self, proposer: MemberIndex, batch: Batch) {
        if let State::Decrypting { closed, open } = &mut self.state {
            closed.remove(&proposer);
            open.insert(proposer, batch);
        }
    }

    /// Outputs the transactions, once all batches of the subset are open.
    fn finish(&mut self, step: &mut Step<Self>) {
        let members = usize::from(self.context.setup.members());
        let State::Decrypting { open, .. } = &mut self.state else { return };
        if open.len() < self.context.setup.available() {
            return;
        }
        let mut batches = std::mem::take(open);
        self.state = State::Done;
        let first = (self.context.epoch % members as u64) as usize;
        let proposers = (0..members).map(|place| ((first + place) % members) as MemberIndex);
        let proposed: Vec<Ordered> = proposers
            .flat_map(|proposer| {
                let batch = batches.remove(&proposer).unwrap_or_default();
                batch.into_transactions().into_iter().map(move |transaction| (proposer, transaction))
            })
            .collect();
        let mut seen = HashSet::with_capacity(proposed.len());
        let is_first: Vec<bool> =
            proposed.iter().map(|(_, transaction)| seen.insert(transaction.as_slice())).collect();
        let repeats = !self.checks.has(Check::EpochDuplicates);
        let ordered = proposed.into_iter().zip(is_first).filter(|(_, is_first)| *is_first || repeats);
        step.output(Output::Decided(ordered.map(|(one, _)| one).collect()));
    }

    /// Sends a share on delivery: the order that the protocol forbids, for the test that must notice it.
    #[cfg(test)]
    fn release_early(&mut self, sender: MemberIndex, step: &mut Step<Self>) {
        let (Some(encryption), Some(value)) = (self.encryption.clone(), self.subset.value(sender)) else {
            return;
        };
        let checked = self.check(&encryption, sender, value);
        let share = checked.and_then(|valid| encryption.share.decryption_share(&valid, &mut self.random));
        if let Ok(share) = share {
            step.broadcast(Message::Decrypt { proposer: sender, share: Box::new(share) });
        }
    }
}

fn wrong_share(fault: &ShareFault) -> Violation {
    let evidence = match fault {
        ShareFault::Proven(evidence) => evidence.encode(),
        ShareFault::Forged { share } => share.encode(),
    };
    Violation::WrongShare { what: "decryption", evidence }
}

impl<S: ThresholdScheme> Machine for Epoch<S> {
    type Message = Message<S>;
    type Command = Command;
    type Timer = Never;
    type Record = Never;
    type Output = Output;
    type Fault = Violation;

    fn decode(&self, _: MemberIndex, bytes: &[u8]) -> Result<Message<S>> {
        Message::decode(bytes, &self.limits())
    }

    fn handle(&mut self, now: Time, input: Input<Self>) -> Step<Self> {
        let mut step = Step::new();
        match input {
            Input::Start => self.run_subset(now, Input::Start, &mut step),
            Input::Timer(never) => match never {},
            Input::Command(Command::Propose { pending, batch }) => {
                self.propose(now, &pending, batch, &mut step);
            }
            Input::Command(Command::FallBack) => {
                self.run_subset(now, Input::Command(acs::Command::FallBack), &mut step);
            }
            Input::Message { from, message: Message::Subset(message) } => {
                self.run_subset(now, Input::Message { from, message }, &mut step);
            }
            Input::Message { from, message: Message::Decrypt { proposer, share } } => {
                self.on_share(from, proposer, *share, &mut step);
            }
        }
        step
    }
}

impl<S: ThresholdScheme> fmt::Debug for Epoch<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epoch({:?})", self.subset)
    }
}
