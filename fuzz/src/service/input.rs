//! Inputs as sequences of actions, and what each action runs on.

use quorate_service::engine::MAX_ANSWER;
use quorate_service::{Engine, Origin};
use tempfile::TempDir;

/// A command of a client, or what a server appends to its log instead.
pub(super) struct Action<'a> {
    pub(super) kind: u8,
    pub(super) body: &'a [u8],
}

/// Splits an input into actions: kind, length of the body, body.
pub(super) fn actions(mut bytes: &[u8]) -> impl Iterator<Item = Action<'_>> {
    std::iter::from_fn(move || {
        let [kind, len, rest @ ..] = bytes else { return None };
        let (body, rest) = rest.split_at_checked(usize::from(*len)).unwrap_or((rest, &[]));
        bytes = rest;
        Some(Action { kind: *kind, body })
    })
}

/// The input with these actions.
pub(super) fn encoded<'a>(actions: impl IntoIterator<Item = (u8, &'a [u8])>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, body) in actions {
        let len = u8::try_from(body.len()).unwrap_or(u8::MAX);
        bytes.extend([kind, len]);
        bytes.extend(body.iter().take(usize::from(len)));
    }
    bytes
}

/// Executes a command and returns its answer, which is one that clients accept.
pub(super) fn executed<E: Engine>(state: &mut E, origin: &Origin, command: &E::Command<'_>) -> Vec<u8> {
    // The server appends to a message.
    let mut message = vec![9];
    state.execute(origin, command, &mut message);
    let answer = message.split_off(1);
    assert_eq!(message, [9], "the bytes before the answer were changed");
    assert!(answer.len() <= MAX_ANSWER, "an answer of {} bytes", answer.len());
    assert!(E::decode_answer(&answer).is_ok(), "clients refuse the answer {answer:?}");
    answer
}

/// A folder for the files of one input.
#[allow(clippy::expect_used)] // no input is tested without files
pub(super) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
