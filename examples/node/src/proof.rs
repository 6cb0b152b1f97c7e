//! A transaction's proof of inclusion.
