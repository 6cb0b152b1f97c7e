//! What transactions mean to the chain.
