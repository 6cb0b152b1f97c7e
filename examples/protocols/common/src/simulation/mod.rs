//! A chain in the simulator: the application and the clients of every node, and the situations that every protocol
//! must bear. What only one protocol knows, its host adds.

mod ledger;
mod situations;
mod workload;

pub use ledger::{GENESIS, Ledger};
pub use situations::{Situations, finish};
pub use workload::Workload;
