#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod faults;
pub(in crate::guard) mod model;
mod signing;
