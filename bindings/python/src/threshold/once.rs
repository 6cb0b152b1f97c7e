//! Single-use values behind a lock that threads wait for only without the interpreter.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use quorate::Error;

use crate::failure::{Failure, Outcome};

/// A value that can be taken once.
pub(super) struct Once<T> {
    what: &'static str,
    state: Mutex<State<T>>,
}

enum State<T> {
    Here(T),
    /// It was taken: the core's `EXHAUSTED`.
    Spent,
    /// It was closed before.
    Closed,
}

impl<T: Send> Once<T> {
    pub(super) fn new(what: &'static str, value: T) -> Self {
        Self { what, state: Mutex::new(State::Here(value)) }
    }

    /// Works on the value.
    pub(super) fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> R + Send) -> Outcome<R> {
        py.detach(|| match &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Here(value) => Ok(work(value)),
            State::Spent => Err(Error::Exhausted.into()),
            State::Closed => Err(Failure::Closed(self.what)),
        })
    }

    /// Takes the value out permanently.
    pub(super) fn take(&self, py: Python<'_>) -> Outcome<T> {
        py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let (now, found) = match core::mem::replace(&mut *state, State::Spent) {
                State::Here(value) => (State::Spent, Ok(value)),
                State::Spent => (State::Spent, Err(Error::Exhausted.into())),
                State::Closed => (State::Closed, Err(Failure::Closed(self.what))),
            };
            *state = now;
            found
        })
    }

    pub(crate) fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            drop(core::mem::replace(&mut *state, State::Closed));
        });
    }

    /// Returns true if the value is no longer present.
    pub(crate) fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| !matches!(&*self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Here(_)))
    }
}
