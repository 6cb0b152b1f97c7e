//! A chain in the simulator: the application and the clients of each node, and the scenarios that every protocol must
//! pass. Each protocol's host adds its own part.

mod ledger;
mod scenarios;
mod signed_once;
mod workload;

pub use ledger::{GENESIS, Ledger};
pub use scenarios::{ScenarioRunner, finish};
pub use signed_once::SignedOnce;
pub use workload::Workload;
