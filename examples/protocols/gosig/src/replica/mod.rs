//! The replica: a state machine without I/O, clock or randomness of its own.
//!
//! | file | contents |
//! |---|---|
//! | `machine` | inputs and transitions: `match (phase, input)`, `match (phase, transition)` |
//! | `phase` | the phases and the steps of a round |
//! | `state` | the state, grouped by concern |
//! | `effects` | the step under construction |
//! | `config`, `restore` | a new replica, and one restored from its records |
//! | `propose` | this member's own proposals |
//! | `proposals` | proposals and segments of other members |
//! | `votes` | signing PREPARE and TENTATIVE, and collecting and gossiping signatures |
//! | `bodies` | collecting the transactions of blocks |
//! | `transactions` | transactions of this member's clients and of other members |
//! | `commit` | commits, deliveries and executed states |
//! | `catchup` | requests for missing blocks, and answers to such requests |

mod bodies;
mod catchup;
mod commit;
mod config;
mod effects;
mod limits;
mod machine;
mod phase;
mod proposals;
mod propose;
mod restore;
mod state;
#[cfg(test)]
mod tests;
mod transactions;
mod votes;

pub use config::Config;
pub use state::Replica;
