//! Messages between a client and the server. Each decoder consumes exactly the bytes of its value, and a decoded value
//! encodes to the same bytes.
//!
//! | kind | from | body |
//! |---|---|---|
//! | `01` hello | client | [protocol](crate::Engine::PROTOCOL) 8 ‖ public key 32 |
//! | `02` proof | client | Ed25519 signature 64 of the hello message of [`Application`](quorate_audit::Application) |
//! | `03` announcement | client | a DSig announcement |
//! | `04` request | client | a [signed command](quorate_audit::signed::SignedCommand) of the [engine](crate::Engine) |
//! | `81` challenge | server | protocol 8 ‖ store 32 ‖ challenge 32 |
//! | `82` welcome | server | sequence number 8 of the client's last request in the log |
//! | `83` learned | server | 1 if the announcement was verified, 0 if it was refused; in the order of the announcements |
//! | `84` reply | server | sequence number 8 ‖ entry 8 ‖ answer |
//! | `85` refused | server | sequence number 8, 0 if there is none ‖ code, a space, and a description |
//! | `86` receipt | server | a signed [receipt](crate::receipt) of the last reply |

use quorate_audit::signed::BadFrame;

/// Kind of a request, for a sender that encodes the signed request behind it.
pub const REQUEST: u8 = 4;
/// Length of a reply without its answer.
pub(crate) const REPLY_HEADER: usize = 17;

/// A message, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// To the server: the client's public key.
    Hello {
        /// Name and version of the protocol.
        protocol: &'a [u8; 8],
        /// Public key.
        signer: &'a [u8; 32],
    },
    /// To the server: the answer to the challenge.
    Proof(&'a [u8; 64]),
    /// To the server: one-time keys.
    Announcement(&'a [u8]),
    /// To the server: a signed request.
    Request(&'a [u8]),
    /// To the client: the store, and a challenge.
    Challenge {
        /// Name and version of the protocol.
        protocol: &'a [u8; 8],
        /// Store of the log.
        store: &'a [u8; 32],
        /// Fresh random bytes.
        challenge: &'a [u8; 32],
    },
    /// To the client: it is authenticated.
    Welcome {
        /// Sequence number of its last request in the log, 0 if there is none.
        last: u64,
    },
    /// To the client: an announcement was processed.
    Learned(bool),
    /// To the client: its request was executed.
    Reply {
        /// Sequence number of the request.
        sequence: u64,
        /// Number of its entry in the log.
        entry: u64,
        /// The answer in the encoding of the engine.
        answer: &'a [u8],
    },
    /// To the client: the signed receipt of the last reply.
    Receipt(&'a [u8]),
    /// To the client: its request was not executed and is not in the log.
    Refused {
        /// Sequence number of the request; 0 if it has none.
        sequence: u64,
        /// Code, a space, and a description.
        reason: &'a [u8],
    },
}

/// Replaces `out` by the encoding of a reply up to its answer.
pub(crate) fn begin_reply(sequence: u64, entry: u64, out: &mut Vec<u8>) {
    Frame::Reply { sequence, entry, answer: &[] }.encode_into(out);
}

impl<'a> Frame<'a> {
    /// Replaces `out` by the encoding.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.clear();
        let mut put = |kind: u8, parts: &[&[u8]]| {
            out.push(kind);
            parts.iter().for_each(|part| out.extend_from_slice(part));
        };
        match self {
            Self::Hello { protocol, signer } => put(1, &[&protocol[..], &signer[..]]),
            Self::Proof(signature) => put(2, &[&signature[..]]),
            Self::Announcement(bytes) => put(3, &[bytes]),
            Self::Request(bytes) => put(REQUEST, &[bytes]),
            Self::Challenge { protocol, store, challenge } => {
                put(0x81, &[&protocol[..], &store[..], &challenge[..]]);
            }
            Self::Welcome { last } => put(0x82, &[&last.to_le_bytes()]),
            Self::Learned(good) => put(0x83, &[&[u8::from(*good)]]),
            Self::Reply { sequence, entry, answer } => {
                put(0x84, &[&sequence.to_le_bytes(), &entry.to_le_bytes(), answer]);
            }
            Self::Receipt(bytes) => put(0x86, &[bytes]),
            Self::Refused { sequence, reason } => put(0x85, &[&sequence.to_le_bytes(), reason]),
        }
    }

    /// Decodes exactly `bytes`.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let wrong = BadFrame("length of the message");
        let (kind, rest) = bytes.split_first().ok_or(wrong)?;
        Ok(match kind {
            1 => {
                let (protocol, signer) = rest.split_first_chunk().ok_or(wrong)?;
                Self::Hello { protocol, signer: signer.try_into().map_err(|_| wrong)? }
            }
            2 => Self::Proof(rest.try_into().map_err(|_| wrong)?),
            3 => Self::Announcement(rest),
            &REQUEST => Self::Request(rest),
            0x81 => {
                let (protocol, rest) = rest.split_first_chunk().ok_or(wrong)?;
                let (store, challenge) = rest.split_first_chunk().ok_or(wrong)?;
                Self::Challenge { protocol, store, challenge: challenge.try_into().map_err(|_| wrong)? }
            }
            0x82 => match number(rest)? {
                (last, []) => Self::Welcome { last },
                _ => return Err(wrong),
            },
            0x83 => match rest {
                [0] => Self::Learned(false),
                [1] => Self::Learned(true),
                _ => return Err(BadFrame("neither 0 nor 1")),
            },
            0x84 => {
                let (sequence, rest) = number(rest)?;
                let (entry, answer) = number(rest)?;
                Self::Reply { sequence, entry, answer }
            }
            0x85 => {
                let (sequence, reason) = number(rest)?;
                Self::Refused { sequence, reason }
            }
            0x86 => Self::Receipt(rest),
            _ => return Err(BadFrame("unknown kind")),
        })
    }
}

fn number(bytes: &[u8]) -> Result<(u64, &[u8]), BadFrame> {
    let (number, rest) = bytes.split_first_chunk().ok_or(BadFrame("length of the message"))?;
    Ok((u64::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn encoded(frame: &Frame<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        frame.encode_into(&mut bytes);
        bytes
    }

    #[test]
    fn fixed_messages_have_exact_lengths() {
        for frame in [
            Frame::Hello { protocol: b"PROTOCOL", signer: &[1; 32] },
            Frame::Proof(&[2; 64]),
            Frame::Challenge { protocol: b"PROTOCOL", store: &[3; 32], challenge: &[4; 32] },
            Frame::Welcome { last: 5 },
            Frame::Learned(true),
        ] {
            let bytes = encoded(&frame);
            assert_eq!(Frame::decode(&bytes), Ok(frame));
            assert!(Frame::decode(&[&bytes[..], &[0]].concat()).is_err(), "{frame:?}");
            for cut in 0..bytes.len() {
                assert!(Frame::decode(&bytes[..cut]).is_err(), "{frame:?} {cut}");
            }
        }
    }

    proptest! {
        #[test]
        fn decoded_messages_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 1..90), kind in 0usize..11) {
            bytes[0] = [1, 2, 3, 4, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 9][kind];
            if let Ok(frame) = Frame::decode(&bytes) {
                prop_assert_eq!(encoded(&frame), bytes);
            }
        }
    }
}
