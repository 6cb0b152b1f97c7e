use quorate::Error;

/// A message that no correct member sends. The machine drops it and names its sender as the culprit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A message that the protocol forbids in every state.
    Refused {
        /// The broken rule.
        what: &'static str,
    },
    /// A second message where a correct member sends one, with different content.
    Contradiction {
        /// The kind of the message.
        what: &'static str,
    },
    /// The sender of a broadcast committed to shards that do not encode one message.
    InconsistentShards,
    /// A threshold share that does not verify.
    WrongShare {
        /// The operation that the share belongs to.
        what: &'static str,
        /// The encoded evidence of the share's scheme. Third parties accept it if the scheme makes it verifiable; the
        /// link that delivered the share identifies the sender in any case.
        evidence: Vec<u8>,
    },
    /// A certificate, proof or value that does not verify.
    Invalid {
        /// The invalid item.
        what: &'static str,
        /// The reason.
        error: Error,
    },
}
