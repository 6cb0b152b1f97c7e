//! What the node needs of a consensus protocol, and the protocols that it runs.
//!
//! A protocol is a [`Machine`] in a crate of its own, which knows nothing of this node. Its *adapter* here, a type
//! without values, implements [`Protocol`]: how to make the machine from what is on disk, what its inputs, outputs and
//! records mean to the node, and what clients are shown of its blocks. Everything else (links, inbox, persisting before
//! sending, the store's files, execution, mempool, HTTP, streams, metrics) is the same for all protocols.
//!
//! ```text
//!  Command ──▶ command() ──▶ Machine::Command          Machine::Output ──▶ act() ──▶ Action
//!                            Machine::Record ──▶ keep() ──▶ Kept: in which of the store's rooms
//!                            Machine::Fault  ──▶ judge() ──▶ Judgement: what to count and whom to shut out
//! ```
//!
//! | the node's word | Jolteon | Gosig |
//! |---|---|---|
//! | view | view | round |
//! | [`Block`] | a block: it names certified batches | a block without its payload |
//! | [`Batch`] | a batch of one member's transactions | a payload: all transactions of a block |
//! | [`Protocol::Finality`] | descendants down to two in consecutive views, and the certificate of the last | the certificate of those who committed it tentatively |
//! | [`Command::Submit`] | the batch is ordered as it is | its transactions are ordered one by one |
//!
//! [`with`] is the only place that knows which protocols there are.

mod gosig;
mod jolteon;

use std::fmt;
use std::sync::Arc;

use quorate::Error;
use quorate::bls::{Counted, MinSig};
use quorate::ed25519::Ed25519;
use quorate::machine::{Machine, MemberIndex, Step};
use quorate::merkle::{Hash, Merkle, Path};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};

pub use gosig::{Epochs, Gosig};
pub use jolteon::Jolteon;
pub use quorate_jolteon::OwnBatchState;
pub use quorate_protocol::Executed;

use crate::Result;
use crate::epochs::{Anchor, Successor};
use crate::genesis::{Committees, Genesis, ProtocolName, SchemeName};
use crate::keys::NodeKeys;
use crate::store::Store;

/// A consensus protocol as the node sees it.
pub trait Protocol: Clone + fmt::Debug + Eq + Send + Sync + 'static {
    /// How votes are signed.
    type Scheme: Scheme;
    /// One validator's state machine.
    type Machine: Machine<Message: Send, Record: Send, Timer: Copy> + Send + 'static;
    /// What the chain is made of: small, linked by hash, shown to clients in proofs.
    type Block: Block + Encode + Decode<Self::Context>;
    /// Transactions that a block orders, stored as one piece.
    type Batch: Batch + Encode + Decode;
    /// Why a block is committed, for somebody who knows the committee alone.
    type Finality: Clone + fmt::Debug + Eq + Encode + Decode<Self::Context> + Send + Sync + 'static;
    /// What decoders need to know.
    type Context: Clone + Send + Sync + 'static;
    /// A peer's question that only the archive can answer.
    type Request: fmt::Debug + Send + 'static;

    /// The tree over a batch's transactions; a leaf is also the transaction's identity.
    const TRANSACTIONS: Merkle<'static>;
    /// Whether the archive keeps why its newest block is committed, because no block or record shows it.
    const KEEPS_NEWEST_FINALITY: bool;

    /// Whether the members may change, and who is none may look on.
    const HAS_EPOCHS: bool = false;

    /// What decoders need to know of a chain, as its genesis says it.
    fn context(committees: &Committees<Self::Scheme>) -> Self::Context;

    /// Lets decoders know of a later epoch too, those of all clones of the context.
    fn extend(_context: &Self::Context, _committees: &Committees<Self::Scheme>) {}

    /// The machine, as of what is in the store; a new one if there is nothing.
    ///
    /// # Errors
    /// If the store fails, or keys, committees and records do not belong together.
    fn machine(setup: Setup<'_, Self>, store: &Store<Self>) -> Result<Self::Machine>;

    /// The number of the next batch of this node's clients' transactions.
    fn next_sequence(machine: &Self::Machine) -> u64;

    /// A few numbers for people and metrics.
    fn status(machine: &Self::Machine) -> Status;

    /// What the node asks for, in the machine's words.
    ///
    /// # Errors
    /// For a batch that the machine's limits do not allow; those of the genesis are below them.
    fn command(command: Command) -> quorate::Result<<Self::Machine as Machine>::Command>;

    /// What the machine tells, in the node's words; `None` for what the node has no use for. `me` is whose batches are
    /// called own.
    fn act(output: Output<Self>, me: Option<MemberIndex>) -> Option<Action<Self>>;

    /// Why a client's transaction is not taken, whatever the application says: it could do nothing but cost all members
    /// the time to find that out.
    fn refuses(_context: &Self::Context, _transaction: &[u8]) -> Option<&'static str> {
        None
    }

    /// Whether a message that cannot be read is no fault of its sender, who is in another epoch.
    fn is_excused(_error: &Error) -> bool {
        false
    }

    /// What to do for somebody who was a member once and asks: nothing else is taken from it.
    fn help(_machine: &Self::Machine, _message: Message<Self>) -> Option<Help<Self>> {
        None
    }

    /// What a fault means to the node.
    fn judge(fault: &<Self::Machine as Machine>::Fault) -> Judgement;

    /// Whether a message is large, so that others should not have to wait behind it.
    fn is_bulk(message: &Message<Self>) -> bool;

    /// Whether a step does nothing but store batches and say so. Such steps may overtake and be overtaken by others:
    /// what they send must rest on nothing but what they store.
    fn concerns_batches_alone(step: &Step<Self::Machine>) -> bool;

    /// About how much memory a message holds that nothing else does, besides a kilobyte.
    fn message_weight(message: &Message<Self>) -> usize;

    /// Where the store keeps a record.
    fn keep(record: &Record<Self>) -> Kept<'_, Self>;

    /// The record of a batch.
    fn batch_record(batch: Arc<Self::Batch>) -> Record<Self>;

    /// The record of a block.
    fn block_record(block: Arc<Self::Block>) -> Record<Self>;

    /// Reads a record back that is neither block nor batch.
    ///
    /// # Errors
    /// If it is damaged.
    fn decode_record(bytes: &[u8], context: &Self::Context) -> quorate::Result<Record<Self>>;

    /// Why an executed block is committed; `None` if the archive does not show it.
    ///
    /// # Errors
    /// If the store fails.
    fn finality(store: &Store<Self>, block: &Self::Block) -> Result<Option<Self::Finality>>;

    /// The certificate that clients are shown with an executed block: its encoding, and who signed it; empty if there is
    /// none.
    ///
    /// # Errors
    /// If the store fails.
    fn certificate(store: &Store<Self>, block: &Self::Block) -> Result<(Vec<u8>, Vec<MemberIndex>)>;

    /// Answers a peer from the archive.
    ///
    /// # Errors
    /// If the store fails.
    fn answer(
        store: &Store<Self>,
        request: Self::Request,
        send: &mut dyn FnMut(&Message<Self>),
    ) -> Result<()>;

    /// Checks that a block is committed, and that every byte of it and of its finality is what its author and the
    /// committee signed.
    ///
    /// # Errors
    /// What does not hold.
    fn check_committed(
        block: &Self::Block,
        finality: &Self::Finality,
        context: &Self::Context,
    ) -> quorate::Result<()>;

    /// Bytes of the certificate in a finality.
    fn certificate_bytes(finality: &Self::Finality) -> usize;
}

/// What machines say to each other.
pub type Message<P> = <<P as Protocol>::Machine as Machine>::Message;
/// What must survive a crash.
pub type Record<P> = <<P as Protocol>::Machine as Machine>::Record;
/// What the machine tells its driver.
pub type Output<P> = <<P as Protocol>::Machine as Machine>::Output;

/// A block as the node sees it.
pub trait Block: Clone + fmt::Debug + Eq + Send + Sync + 'static {
    /// Its identity.
    fn digest(&self) -> Hash;
    /// The committee's term.
    fn epoch(&self) -> u64;
    /// The view, or round, in which it was proposed.
    fn view(&self) -> u64;
    /// Its place in the chain; the first has 1.
    fn height(&self) -> u64;
    /// Who proposed it.
    fn author(&self) -> MemberIndex;
    /// The identity of the block before it.
    fn parent(&self) -> Hash;
    /// The author's clock, microseconds since 1970.
    fn timestamp(&self) -> u64;
    /// The state that it states.
    fn executed(&self) -> Executed;
    /// What it orders, in order.
    fn payload(&self) -> Vec<Part>;
}

/// What a block says of a batch that it orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The batch's identity.
    pub digest: Hash,
    /// Who made it.
    pub author: MemberIndex,
    /// Its number among its author's batches.
    pub sequence: u64,
    /// How many transactions it holds.
    pub count: u32,
    /// Bytes of its body: each transaction and four for its length.
    pub bytes: u32,
    /// The Merkle root of its transactions.
    pub root: Hash,
}

/// A batch as the node sees it.
pub trait Batch: fmt::Debug + Send + Sync + 'static {
    /// Its identity.
    fn digest(&self) -> Hash;
    /// The identities of its transactions, in order.
    fn ids(&self) -> &[Hash];
    /// Its transactions, in order.
    fn transactions(&self) -> impl Iterator<Item = &[u8]>;
    /// One of its transactions.
    fn transaction(&self, position: usize) -> Option<&[u8]>;
    /// The path from a transaction to the root.
    ///
    /// # Errors
    /// If there is no such transaction.
    fn path(&self, position: usize) -> quorate::Result<Path>;
    /// Bytes of its body: each transaction and four for its length.
    fn bytes(&self) -> usize;
}

/// What a machine is made of.
pub struct Setup<'a, P: Protocol> {
    /// The members.
    pub committees: &'a Committees<P::Scheme>,
    /// This member; `None` for who looks on.
    pub me: Option<MemberIndex>,
    /// Where its epoch begins; `None` for the genesis.
    pub anchor: Option<Anchor>,
    /// Its keys.
    pub keys: &'a NodeKeys,
    /// What all members agree on.
    pub genesis: &'a Genesis,
    /// The state before block 1.
    pub genesis_root: Hash,
    /// What is executed durably: delivery goes on after it.
    pub executed: Executed,
    /// Older states, which other members' blocks may name.
    pub recent: Vec<Executed>,
    /// A number above every batch number that this validator used in an earlier data directory.
    pub first_sequence: u64,
}

/// A few numbers for people and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The view, or round, that the machine is in.
    pub view: u64,
    /// Who leads it, as far as it knows.
    pub leader: MemberIndex,
    /// The committed height.
    pub committed: u64,
    /// Views that this member gave up.
    pub timeouts: u64,
    /// Whether it misses something.
    pub catching_up: bool,
}

/// What the node asks of a machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Order the transactions of a batch of this node's clients.
    Submit(Arc<quorate_jolteon::Batch>),
    /// Everything up to a height was executed durably.
    Executed(Executed),
    /// The link to a member came up (again).
    Connected(MemberIndex),
    /// A member sent what is [excused](Protocol::is_excused): it is in another epoch.
    Elsewhere(MemberIndex),
}

/// What a machine asks of the node, once what it rests on is durable.
#[derive(Debug)]
pub enum Action<P: Protocol> {
    /// Execute the next block of the chain.
    Deliver(Box<Delivery<P>>),
    /// Something became of a batch of this node's clients. See [`Action::Settled`].
    OwnBatch {
        /// Its number.
        sequence: u64,
        /// What.
        state: OwnBatchState,
    },
    /// All transactions of a batch of this node's clients are committed, the last of them in the block that is
    /// delivered next in the same step; if none is, they were committed before the batch came. For protocols that do not
    /// order batches as they are: they leave [`Delivery::own_batches`] empty.
    Settled {
        /// Its number.
        sequence: u64,
    },
    /// Hold back with new batches, or no more.
    Congestion(bool),
    /// The epoch ends with the block that was delivered last: go on in the next one.
    Succeed(Box<Successor>),
    /// Answer a peer from the archive.
    Serve {
        /// Who asks.
        to: MemberIndex,
        /// For what.
        request: P::Request,
    },
    /// These batches can never be committed: drop their records.
    ForgetBatches(Vec<Hash>),
    /// These blocks can never be committed: drop their records.
    ForgetBlocks(Vec<Hash>),
    /// A view began.
    View {
        /// Which.
        view: u64,
        /// Who leads it, as far as this member knows.
        leader: MemberIndex,
        /// Whether the view before it timed out.
        timed_out: bool,
    },
}

/// What is done for somebody who was a member once.
pub enum Help<P: Protocol> {
    /// This is answered.
    Answer(Message<P>),
    /// The archive answers this.
    Serve(P::Request),
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Delivery<P: Protocol> {
    /// The block.
    pub block: Arc<P::Block>,
    /// The batches of its payload, in order.
    pub batches: Vec<Arc<P::Batch>>,
    /// Why it is committed.
    pub finality: Arc<P::Finality>,
    /// Numbers of this node's own batches that are committed with it.
    pub own_batches: Vec<u64>,
}

/// What a fault means to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// A stable code.
    pub code: &'static str,
    /// What the member did.
    pub what: &'static str,
    /// Whether no honest member ever does it and finding out was expensive: too many of these end its connections.
    pub strike: bool,
}

/// Where the store keeps a record.
pub enum Kept<'a, P: Protocol> {
    /// Among the batches, until it is executed or forgotten.
    Batch(&'a Arc<P::Batch>),
    /// Among the blocks, until it is executed or forgotten.
    Block(&'a Arc<P::Block>),
    /// Under a key that does not begin with a zero: a later record replaces it.
    Newest([u8; 2]),
    /// Under its height, for ever. After a restart those are read back that are not below the executed height.
    Height(u64),
}

/// Something that is done with whatever protocol a chain has.
pub trait Visit {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<P: Protocol>(self) -> Self::Output;
}

/// Does something with the protocol of a chain.
pub fn with<V: Visit>(genesis: &Genesis, visit: V) -> V::Output {
    match (genesis.protocol, genesis.scheme) {
        (ProtocolName::Jolteon, SchemeName::Bls) => visit.visit::<Jolteon<MinSig>>(),
        (ProtocolName::Jolteon, SchemeName::Ed25519) => visit.visit::<Jolteon<Ed25519>>(),
        // Nothing else can be summed: a genesis that names another scheme is refused.
        (ProtocolName::Gosig, _) => visit.visit::<Gosig<Counted<MinSig>>>(),
    }
}

/// The code and the words for a signature, a vote or a certificate that does not verify.
fn invalid(what: &'static str, error: &Error) -> Judgement {
    Judgement { code: error.code(), what, strike: true }
}
