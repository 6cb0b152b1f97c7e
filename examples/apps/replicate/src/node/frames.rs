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

/// Encodes an answer: sequence u64 ‖ answer 8.
pub(super) fn encode_reply(sequence: u64, answer: Answer) -> Vec<u8> {
    [sequence.to_le_bytes(), answer].concat()
}
