//! Frames between a client and the front, and the bytes that a client signs. `SPEC.md` has the same as tables.
//!
//! Each decoder consumes exactly the bytes of its value, and a decoded value encodes to the same bytes.

use quorate::machine::Time;
pub use quorate_audit::signed::{BadFrame, SignatureScheme, SignedCommand, verify_eddsa};

use crate::REDIS;

/// First bytes of both sides: name and version of the protocol.
pub const MAGIC: [u8; 8] = *b"QAREDIS1";
/// Maximum length of a frame without its length field: the largest command with the longest signature.
pub const MAX_FRAME: usize = quorate_audit::signed::MAX_SIGNED;
/// Maximum size of a reply of Redis that is forwarded.
pub const MAX_REPLY: usize = 128 << 20;

/// Returns the message that a client signs for a command.
pub fn message(store: &[u8; 32], sequence: u64, time: Time, command: &[u8]) -> Vec<u8> {
    REDIS.message(store, sequence, time, command)
}

/// Returns the message that a client signs with its Ed25519 key to authenticate itself.
pub fn hello(store: &[u8; 32], challenge: &[u8; 32], signer: &[u8; 32]) -> Vec<u8> {
    REDIS.hello(store, challenge, signer)
}

/// A frame, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// To the front: a DSig announcement.
    Announcement(&'a [u8]),
    /// To the front: a [`SignedCommand`].
    Command(&'a [u8]),
    /// To the client, once: the sequence number of its last command in the log.
    Welcome {
        /// 0 if there is none.
        last: u64,
    },
    /// To the client: the reply of Redis.
    Reply {
        /// Sequence number of the command.
        sequence: u64,
        /// Number of its entry in the log.
        entry: u64,
        /// RESP bytes.
        reply: &'a [u8],
    },
    /// To the client: the command was refused, is not in the log and was not executed.
    Refused {
        /// Sequence number of the command; 0 if it has none.
        sequence: u64,
        /// RESP error whose first word is a code.
        reply: &'a [u8],
    },
}

impl<'a> Frame<'a> {
    /// Appends the encoding.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend_from_slice(&[0; 4]);
        match self {
            Self::Announcement(bytes) => put(out, 1, &[], bytes),
            Self::Command(bytes) => put(out, 2, &[], bytes),
            Self::Welcome { last } => put(out, 0x81, &[*last], &[]),
            Self::Reply { sequence, entry, reply } => put(out, 0x82, &[*sequence, *entry], reply),
            Self::Refused { sequence, reply } => put(out, 0x83, &[*sequence], reply),
        }
        let len = u32::try_from(out.len() - begin - 4).unwrap_or(u32::MAX);
        if let Some(field) = out.get_mut(begin..begin + 4) {
            field.copy_from_slice(&len.to_le_bytes());
        }
    }

    /// Decodes the frame at the beginning of `bytes` and returns it with its length; `None` if more bytes are needed.
    ///
    /// # Errors
    /// [`BadFrame`]; a length above `cap` is refused before the frame is read.
    pub fn take(bytes: &'a [u8], cap: usize) -> Result<Option<(Self, usize)>, BadFrame> {
        let Some((len, rest)) = bytes.split_first_chunk() else { return Ok(None) };
        let len = u32::from_le_bytes(*len) as usize;
        if len == 0 || len > cap {
            return Err(BadFrame("length of the frame"));
        }
        let Some(frame) = rest.get(..len) else { return Ok(None) };
        Ok(Some((Self::decode(frame)?, len + 4)))
    }

    fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let short = BadFrame("the frame is too short for its kind");
        let (kind, rest) = bytes.split_first().ok_or(short)?;
        let number = |rest: &'a [u8]| {
            let (number, rest) = rest.split_first_chunk().ok_or(short)?;
            Ok((u64::from_le_bytes(*number), rest))
        };
        match kind {
            1 => Ok(Self::Announcement(rest)),
            2 => Ok(Self::Command(rest)),
            0x81 => match number(rest)? {
                (last, []) => Ok(Self::Welcome { last }),
                _ => Err(BadFrame("the frame is too long for its kind")),
            },
            0x82 => {
                let (sequence, rest) = number(rest)?;
                let (entry, reply) = number(rest)?;
                Ok(Self::Reply { sequence, entry, reply })
            }
            0x83 => {
                let (sequence, reply) = number(rest)?;
                Ok(Self::Refused { sequence, reply })
            }
            _ => Err(BadFrame("unknown kind")),
        }
    }
}

fn put(out: &mut Vec<u8>, kind: u8, numbers: &[u64], rest: &[u8]) {
    out.push(kind);
    numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn encoded(frame: &Frame<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        frame.encode_to(&mut bytes);
        bytes
    }

    #[test]
    fn frame_lengths_are_exact() {
        assert!(Frame::take(&encoded(&Frame::Welcome { last: 1 })[..12], 100).unwrap().is_none());
        assert!(Frame::take(&[9, 0, 0, 0, 0x81], 8).is_err(), "above the cap");
        assert!(Frame::take(&[0, 0, 0, 0], 8).is_err(), "nothing");
        assert!(Frame::take(&[2, 0, 0, 0, 0x81, 1], 8).is_err(), "too short for its kind");
        assert!(Frame::take(&[10, 0, 0, 0, 0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0], 16).is_err(), "too long");
    }

    proptest! {
        #[test]
        fn decoded_frames_encode_to_the_same_bytes(bytes in vec(any::<u8>(), 0..40), kind in any::<u8>()) {
            let mut framed = (bytes.len() as u32 + 1).to_le_bytes().to_vec();
            framed.push([1, 2, 0x81, 0x82, 0x83, kind][usize::from(kind % 6)]);
            framed.extend(&bytes);
            if let Ok(Some((frame, used))) = Frame::take(&framed, 1000) {
                prop_assert_eq!(used, framed.len());
                prop_assert_eq!(encoded(&frame), framed);
            }
        }
    }
}
