//! Executes the entries of a log again: to restore the state at a start, and to check the receipts in an audit.

use std::collections::HashMap;
use std::fmt;

use quorate_audit::log::Entry;
use quorate_audit::signed::SignedCommand;

use crate::receipt::Receipt;
use crate::{Engine, Origin};

/// The state after the entries so far.
pub struct Replay<E> {
    state: E,
    last: HashMap<[u8; 32], u64>,
    /// Public key of the server, if it signs its answers.
    server: Option<[u8; 32]>,
    unanswered: Option<Executed>,
}

/// A command with the answer that its execution yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Entry and signer.
    pub origin: Origin,
    /// Sequence number.
    pub sequence: u64,
    /// The command.
    pub command: Vec<u8>,
    /// The answer.
    pub answer: Vec<u8>,
}

/// Reason why an entry does not continue a log. The replay ends with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayFault {
    /// It is neither a command of the engine nor a receipt of the server.
    BadCommand,
    /// It is a receipt that another key than that of the server signed.
    ForeignReceipt,
    /// It is a receipt, but the entry before it is no command.
    UnexpectedReceipt,
    /// It is a receipt of another command than that of the entry before it, which has this number.
    MisplacedReceipt(u64),
    /// The command of the entry before it, which has this number, has no receipt.
    Unanswered(u64),
    /// It is a receipt of another answer than the execution yields.
    WrongAnswer {
        /// The command with the answer of the execution.
        executed: Executed,
        /// The answer in the receipt.
        stated: Vec<u8>,
    },
}

impl<E: Engine> Replay<E> {
    /// Begins before the first entry. With the public key of a server, every command must be followed by its receipt.
    pub fn new(server: Option<[u8; 32]>) -> Self {
        Self { state: E::default(), last: HashMap::new(), server, unanswered: None }
    }

    /// Executes the next entry. Signatures and hashes are not checked.
    ///
    /// # Errors
    /// [`ReplayFault`].
    pub fn execute(&mut self, entry: &Entry<'_>) -> Result<(), ReplayFault> {
        let signed = SignedCommand::decode(entry.body).map_err(|_| ReplayFault::BadCommand)?;
        if self.server == Some(entry.signer) {
            let receipt = Receipt::decode(signed.command).map_err(|_| ReplayFault::BadCommand)?;
            let executed = self.unanswered.take().ok_or(ReplayFault::UnexpectedReceipt)?;
            let expected = executed.receipt();
            if (Receipt { answer: expected.answer, ..receipt }) != expected {
                return Err(ReplayFault::MisplacedReceipt(executed.origin.entry));
            }
            if receipt.answer != expected.answer {
                return Err(ReplayFault::WrongAnswer { stated: receipt.answer.to_vec(), executed });
            }
        } else {
            if let Some(executed) = &self.unanswered {
                return Err(ReplayFault::Unanswered(executed.origin.entry));
            }
            if self.server.is_some() && Receipt::decode(signed.command).is_ok() {
                return Err(ReplayFault::ForeignReceipt);
            }
            let command = E::decode(signed.command).map_err(|_| ReplayFault::BadCommand)?;
            let origin = Origin { entry: entry.number, signer: entry.signer };
            let mut answer = Vec::new();
            self.state.execute(&origin, &command, &mut answer);
            if self.server.is_some() {
                let (sequence, command) = (signed.sequence, signed.command.to_vec());
                self.unanswered = Some(Executed { origin, sequence, command, answer });
            }
        }
        self.last.insert(entry.signer, signed.sequence);
        Ok(())
    }

    /// Returns the sequence number of each signer's last entry.
    pub fn last(&self) -> &HashMap<[u8; 32], u64> {
        &self.last
    }

    /// Returns the last command, if its receipt is missing: the server was killed between the two.
    pub fn unanswered(&self) -> Option<&Executed> {
        self.unanswered.as_ref()
    }

    /// Returns the state.
    pub fn into_state(self) -> E {
        self.state
    }
}

impl Executed {
    /// Returns the receipt that the server has to sign.
    pub fn receipt(&self) -> Receipt<'_> {
        let Origin { entry, signer } = self.origin;
        Receipt { entry, signer, sequence: self.sequence, command: &self.command, answer: &self.answer }
    }
}

impl fmt::Display for ReplayFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadCommand => write!(f, "is not a request"),
            Self::ForeignReceipt => write!(f, "is a receipt with another key than that of the server"),
            Self::UnexpectedReceipt => write!(f, "is a receipt, but the entry before it is no request"),
            Self::MisplacedReceipt(entry) => write!(f, "is not the receipt of entry {entry}"),
            Self::Unanswered(entry) => write!(f, "follows entry {entry}, which has no receipt"),
            Self::WrongAnswer { executed, .. } => {
                write!(f, "is a receipt of another answer than entry {} yields", executed.origin.entry)
            }
        }
    }
}
