//! The parts of the command line that all programs have.

mod bench;
mod serve;
mod signing;

pub use bench::{BenchArgs, Workload};
pub use serve::{ServeArgs, serve_help};
pub use signing::SigningArgs;
