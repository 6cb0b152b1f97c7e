//! The replicated application: [`Application`], and [`Counter`], the one of the program.

use quorate::wire::{Reader, Writer, domain};
use quorate::{Error, Result};

use crate::statement::Digest;
use crate::value::{Answer, ClientIndex, Operation, Request};

/// A deterministic state machine: equal states and equal operations give equal answers and equal states.
pub trait Application {
    /// Maximum length of a state in bytes.
    const MAX_STATE: usize;

    /// Executes an operation of a client.
    fn apply(&mut self, client: ClientIndex, operation: Operation) -> Answer;

    /// Returns the state. Equal states have equal bytes.
    fn state(&self) -> Vec<u8>;

    /// Replaces the state.
    ///
    /// # Errors
    /// The decoding error; the state is unchanged.
    fn restore(&mut self, state: &[u8]) -> Result<()>;
}

/// A sum of 64 bits, modulo 2⁶⁴. An operation is a number, little endian, that is added; the answer is the new sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter(pub u64);

impl Application for Counter {
    const MAX_STATE: usize = 8;

    fn apply(&mut self, _: ClientIndex, operation: Operation) -> Answer {
        self.0 = self.0.wrapping_add(u64::from_le_bytes(operation));
        self.0.to_le_bytes()
    }

    fn state(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }

    fn restore(&mut self, state: &[u8]) -> Result<()> {
        let bytes = state.try_into().map_err(|_| Error::Malformed { what: "state of a counter" })?;
        self.0 = u64::from_le_bytes(bytes);
        Ok(())
    }
}

/// The last executed request of each client, with its answer: a request is executed once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executed(pub(crate) Vec<(u64, Answer)>);

impl Executed {
    pub(crate) fn new(clients: u16) -> Self {
        Self(vec![(0, Answer::default()); usize::from(clients)])
    }

    /// Returns the number of a client's last request and its answer. The number is 0 if there was none.
    pub(crate) fn last(&self, client: ClientIndex) -> (u64, Answer) {
        self.0.get(usize::from(client)).copied().unwrap_or_default()
    }

    /// Executes a request whose number is above that of its client's last one, and returns the answer.
    pub(crate) fn execute(&mut self, application: &mut impl Application, request: Request) -> Option<Answer> {
        let last = self.0.get_mut(usize::from(request.client))?;
        if request.sequence <= last.0 {
            return None;
        }
        let answer = application.apply(request.client, request.operation);
        *last = (request.sequence, answer);
        Some(answer)
    }

    /// Encodes the table and the application's state.
    pub(crate) fn encode_with(&self, state: &[u8]) -> Vec<u8> {
        let mut w = Writer::with_capacity(self.0.len() * 16 + state.len() + 4);
        for (sequence, answer) in &self.0 {
            w.u64(*sequence);
            w.raw(answer);
        }
        w.bytes(state);
        w.into_bytes()
    }

    /// Decodes the table and the application's state.
    pub(crate) fn decode_with(bytes: &[u8], clients: u16, max_state: usize) -> Result<(Self, Vec<u8>)> {
        let mut r = Reader::new(bytes);
        let table = (0..clients).map(|_| Ok((r.u64()?, r.array()?))).collect::<Result<_>>()?;
        let state = r.bytes("state", max_state)?.to_vec();
        r.finish()?;
        Ok((Self(table), state))
    }
}

/// Maximum length of a state with the table of clients.
pub(crate) fn max_state<P: Application>(clients: u16) -> usize {
    usize::from(clients) * 16 + 4 + P::MAX_STATE
}

/// Returns the digest of a state with its table of clients.
pub(crate) fn state_digest(state: &[u8]) -> Digest {
    domain::hash(domain::REPLICATE_SNAPSHOT, state)
}
