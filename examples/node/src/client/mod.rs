//! What clients of a node talk to.
