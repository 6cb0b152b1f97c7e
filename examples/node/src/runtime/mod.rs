//! Drives the state machine: persist, then send.
