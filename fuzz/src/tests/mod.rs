//! The targets as deterministic tests. They are in the library, so that the library is compiled for them alone.

mod brief;
mod findings;
