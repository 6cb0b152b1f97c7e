//! Messages of clients, and challenges.

use super::handshake::Challenge;
use super::{Exit, Failure, OrFail};
use crate::{Answer, Request};

/// Returns a random challenge.
pub(super) fn new_challenge() -> Result<Challenge, Failure> {
    let mut challenge = [0; 32];
    getrandom::fill(&mut challenge).or_fail(Exit::Failed, "random bytes")?;
    Ok(challenge)
}

/// Decodes a client's message: sequence u64 ‖ operation 8.
pub(super) fn decode_request(client: u16, message: &[u8]) -> Option<Request> {
    let (sequence, operation) = message.split_first_chunk::<8>()?;
    let sequence = u64::from_le_bytes(*sequence);
    let operation = operation.try_into().ok()?;
    (sequence > 0).then_some(Request { client, sequence, operation })
}

/// A replica's reply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The answer.
    Answer(Answer),
    /// A request with this higher number was executed.
    Outdated(u64),
}

/// Encodes a reply: 0 ‖ sequence u64 ‖ answer 8, or 1 ‖ sequence u64 ‖ last u64.
pub(super) fn encode_reply(sequence: u64, reply: Reply) -> Vec<u8> {
    let (kind, content) = match reply {
        Reply::Answer(answer) => (0, answer),
        Reply::Outdated(last) => (1, last.to_le_bytes()),
    };
    [&[kind][..], &sequence.to_le_bytes(), &content].concat()
}

/// Decodes a frame with a reply, which begins with the 0 of a last fragment.
pub(super) fn decode_reply(frame: &[u8]) -> Option<(u64, Reply)> {
    let ([0, kind], rest) = frame.split_first_chunk::<2>()? else { return None };
    let (sequence, content) = rest.split_first_chunk::<8>()?;
    let content = content.try_into().ok()?;
    let reply = match kind {
        0 => Reply::Answer(content),
        1 => Reply::Outdated(u64::from_le_bytes(content)),
        _ => return None,
    };
    Some((u64::from_le_bytes(*sequence), reply))
}
