//! A chain of blocks: epochs without end, whose decisions the members sign.
//!
//! Height h of the chain is decided by [`epoch`](crate::epoch) h. There is no timeout: a member takes part as soon as it has
//! pending transactions or receives a message of the epoch. An idle network makes empty blocks until one names the state after
//! the last transactions, and then sends nothing. The one timer asks for what links lost.
//!
//! 1. Clients submit batches; a member chooses some of its pending transactions at random for the next epoch and proposes
//!    them. It may run [`Parameters::window`] epochs at once: with a full proposal it starts the next one, so that its
//!    broadcasts overlap the agreement of the first.
//! 2. The decision of an epoch becomes a [`Block`] on the previous certified one, with a batch of each proposer, without the
//!    transactions of the last [`RECENT`] blocks. It names the state after the block [`STATE_LAG`] heights below. All correct
//!    members make the same block.
//! 3. Each member signs it once, with the [guard](quorate::guard), and sends its vote to all. The votes of a quorum are a
//!    certificate, from which anyone who knows the committee verifies the block; only then is the block delivered.
//!
//! **Crashes.** Each message that an epoch handles, and each proposal, is a [`Record`] that is durable before the messages
//! of its step leave. The epochs are deterministic: random numbers come from a recorded seed, the epoch and the member. So a
//! member that restarts gives its records to [`Chain::restore`], which repeats the inputs in their order and arrives at the
//! state before the crash: it can say nothing else than it said before, and all members may be killed at once. Records of
//! epochs whose block is certified are not needed any more ([`Output::PruneEpochs`]). Batches of clients are recorded when they
//! are submitted, and proposed until they are committed.
//!
//! **Lost messages.** While an epoch makes no progress, and at a start, a member sends [`Message::Status`] with the height
//! that it lacks. Others send again what they sent in running epochs, or the certified blocks ([`Output::Serve`]), and end
//! the answer with their own height; then the member asks for the next blocks, or sends what the other one lacks.
//!
//! **Bounds.** Messages for heights above the window are dropped: a member that receives such from f + 1 members asks for
//! blocks. Each different message is handled and recorded once, and no more of them than a correct member sends. Memory is
//! that of `window` epochs with the messages that this member sent in them, [`PAGE`] certified blocks, and the pending
//! transactions, which [`Parameters`] bound.

mod block;
mod catch_up;
mod interface;
mod machine;
mod message;
mod payload;
mod pending;
mod running;
mod state;
#[cfg(test)]
mod tests;

pub use block::{BLOCK, Block, BlockDigest, CertifiedBlock, Finality, STATE_LAG};
pub use interface::{Command, Config, Delivery, Evidence, Output, PAGE, Parameters, RECENT, Status, Timer};
pub use message::{Limits, Message, Record};
pub use payload::decided_batches;
pub use state::Chain;
