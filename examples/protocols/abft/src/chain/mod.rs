//! A chain of blocks: epochs without end, whose decisions the members sign.
//!
//! Height h of the chain is decided by [`epoch`](crate::epoch) h. There is no timeout: a member takes part as soon as it has
//! pending transactions or receives a message of the epoch, and an idle network sends nothing. The one timer sends again what
//! links lost.
//!
//! 1. A member chooses some of its pending transactions at random for the next epoch and proposes them. It may run
//!    [`Parameters::window`] epochs at once: the broadcasts of the next one overlap the agreement of the first.
//! 2. The decision of an epoch becomes a [`Block`] on the previous certified one, without the transactions of the last
//!    [`RECENT`] blocks. All correct members make the same block.
//! 3. Each member signs it once, with the [guard](quorate::guard), and sends its vote to all. The votes of a quorum are a
//!    certificate, from which anyone who knows the committee verifies the block; only then is the block output.
//!
//! **Crashes.** Each message that an epoch handles, and each proposal, is a [`Record`] that is durable before the messages
//! of its step leave. The epochs are deterministic: random numbers come from [`Config::seed`], the epoch and the member. So a
//! member that restarts gives its records to [`Chain::restore`], which repeats the inputs in their order and arrives at the
//! state before the crash: it can say nothing else than it said before, and all members may be killed at once. Records of
//! certified blocks are not needed any more ([`Output::Committed`]).
//!
//! **Lost messages.** While an epoch runs, and at a start, a member sends [`Message::Status`] with the height that it lacks.
//! Others send again what they sent in running epochs, or the certified blocks ([`Output::Serve`]): at most once per
//! interval and member, or when a member has all blocks of an answer.
//!
//! **Bounds.** Messages for heights above the window are dropped: a member that receives such from f + 1 members asks for
//! blocks. Each different message is handled and recorded once, and no more of them than a correct member sends. Memory is
//! that of `window` epochs with the messages that this member sent in them, [`PAGE`] blocks, and the
//! pending transactions.

mod block;
mod interface;
mod machine;
mod message;
mod running;
mod state;
#[cfg(test)]
mod tests;

pub use block::{BLOCK, Block, BlockContext, CertifiedBlock, TRANSACTIONS};
pub use interface::{Command, Config, Evidence, Output, PAGE, Parameters, RECENT, Timer};
pub use message::{Limits, Message, Record};
pub use state::Chain;
