//! Frames between a client and the front, and the bytes that a client signs. `SPEC.md` has the same as tables.
//!
//! Each decoder consumes exactly the bytes of its value, and a decoded value encodes to the same bytes.

use std::fmt;

use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::Scheme as _;
use quorate::wire::{Decode, domain};

use crate::resp::MAX_COMMAND;
use crate::suites::parse_suite;

/// First bytes of both sides: name and version of the protocol.
pub const MAGIC: [u8; 8] = *b"QAREDIS1";
/// Maximum length of a frame without its length field: the largest command with the longest signature.
pub const MAX_FRAME: usize = MAX_COMMAND + 8192;
/// Maximum size of a reply of Redis that is forwarded.
pub const MAX_REPLY: usize = 128 << 20;

const COMMAND_DOMAIN: &[u8] = domain::AUDITED_REDIS_COMMAND.as_bytes();
const HELLO_DOMAIN: &[u8] = domain::AUDITED_REDIS_HELLO.as_bytes();

/// Bytes that are not a valid frame, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadFrame(pub &'static str);

impl fmt::Display for BadFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a frame of this protocol: {}", self.0)
    }
}

impl std::error::Error for BadFrame {}

/// Signature scheme of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureScheme {
    /// No signature. For measurements only: nothing about such a command can be proven.
    None,
    /// Ed25519.
    Eddsa,
    /// DSig.
    Dsig,
}

impl SignatureScheme {
    /// All schemes, in the order of their encoding.
    pub const ALL: [Self; 3] = [Self::None, Self::Eddsa, Self::Dsig];

    /// Returns the name in configuration files and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Eddsa => "eddsa",
            Self::Dsig => "dsig",
        }
    }

    fn byte(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Eddsa => 1,
            Self::Dsig => 2,
        }
    }
}

impl std::str::FromStr for SignatureScheme {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scheme| scheme.name() == name);
        found.ok_or_else(|| format!("expected dsig, eddsa or none, got {name:?}"))
    }
}

/// A command with its signature, as it is sent and logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedCommand<'a> {
    /// How it is signed.
    pub scheme: SignatureScheme,
    /// Sequence number: one more than the client's previous one.
    pub sequence: u64,
    /// Time by the client's clock, in microseconds.
    pub time: Time,
    /// Signature: empty, 64 bytes, or of a DSig suite.
    pub signature: &'a [u8],
    /// RESP bytes.
    pub command: &'a [u8],
}

impl<'a> SignedCommand<'a> {
    /// Decodes a signed command from exactly `bytes`. The command's RESP and the signature are not checked.
    ///
    /// # Errors
    /// [`BadFrame`].
    pub fn decode(bytes: &'a [u8]) -> Result<Self, BadFrame> {
        let short = BadFrame("a signed command is cut short");
        let (byte, rest) = bytes.split_first().ok_or(short)?;
        let scheme = SignatureScheme::ALL.into_iter().find(|scheme| scheme.byte() == *byte);
        let scheme = scheme.ok_or(BadFrame("unknown signature scheme"))?;
        let (sequence, rest) = rest.split_first_chunk().ok_or(short)?;
        let (time, rest) = rest.split_first_chunk().ok_or(short)?;
        let len = match scheme {
            SignatureScheme::None => 0,
            SignatureScheme::Eddsa => 64,
            SignatureScheme::Dsig => {
                parse_suite(rest).map_err(|_| BadFrame("unknown DSig suite"))?.signature_len()
            }
        };
        let (signature, command) = rest.split_at_checked(len).ok_or(short)?;
        if command.is_empty() || command.len() > MAX_COMMAND {
            return Err(BadFrame("length of the command"));
        }
        let (sequence, time) = (u64::from_le_bytes(*sequence), Time(u64::from_le_bytes(*time)));
        Ok(Self { scheme, sequence, time, signature, command })
    }

    /// Appends the encoding.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        out.push(self.scheme.byte());
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.extend_from_slice(&self.time.0.to_le_bytes());
        out.extend_from_slice(self.signature);
        out.extend_from_slice(self.command);
    }

    /// Returns the message that the signature covers in a store.
    pub fn message(&self, store: &[u8; 32]) -> Vec<u8> {
        message(store, self.sequence, self.time, self.command)
    }
}

/// Returns the message that a client signs for a command.
pub fn message(store: &[u8; 32], sequence: u64, time: Time, command: &[u8]) -> Vec<u8> {
    [COMMAND_DOMAIN, store, &sequence.to_le_bytes(), &time.0.to_le_bytes(), command].concat()
}

/// Returns the message that a client signs with its Ed25519 key to authenticate itself.
pub fn hello(store: &[u8; 32], challenge: &[u8; 32], signer: &[u8; 32]) -> Vec<u8> {
    [HELLO_DOMAIN, store, challenge, signer].concat()
}

/// Verifies an encoded Ed25519 signature.
///
/// # Errors
/// Those of [`Ed25519::verify`](quorate::scheme::Scheme::verify), and decoding errors.
pub fn verify_eddsa(key: &PublicKey, message: &[u8], signature: &[u8]) -> quorate::Result<()> {
    let signature = quorate::ed25519::Signature::decode(signature, &())?;
    Ed25519::verify(key, message, &signature)
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
        let signature = [1; 64];
        let one = SignedCommand {
            scheme: SignatureScheme::Eddsa,
            sequence: 7,
            time: Time(9),
            signature: &signature,
            command: b"*",
        };
        let mut bytes = Vec::new();
        one.encode_to(&mut bytes);
        assert_eq!(bytes.len(), 1 + 8 + 8 + 64 + 1);
        assert_eq!(SignedCommand::decode(&bytes), Ok(one));
        for cut in 0..bytes.len() {
            assert!(SignedCommand::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        bytes[0] = 3;
        assert!(SignedCommand::decode(&bytes).is_err());
        bytes[0] = 2;
        assert!(SignedCommand::decode(&bytes).is_err(), "no room for a DSig signature");
        assert!(Frame::take(&encoded(&Frame::Welcome { last: 1 })[..12], 100).unwrap().is_none());
        assert!(Frame::take(&[9, 0, 0, 0, 0x81], 8).is_err(), "above the cap");
        assert!(Frame::take(&[0, 0, 0, 0], 8).is_err(), "nothing");
        assert!(Frame::take(&[2, 0, 0, 0, 0x81, 1], 8).is_err(), "too short for its kind");
        assert!(Frame::take(&[10, 0, 0, 0, 0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0], 16).is_err(), "too long");
    }

    #[test]
    fn signed_messages_are_distinct() {
        let one = message(&[0; 32], 1, Time(2), b"*1\r\n$4\r\nPING\r\n");
        assert_ne!(one, message(&[1; 32], 1, Time(2), b"*1\r\n$4\r\nPING\r\n"));
        assert_ne!(one, message(&[0; 32], 2, Time(2), b"*1\r\n$4\r\nPING\r\n"));
        assert_ne!(one, message(&[0; 32], 1, Time(3), b"*1\r\n$4\r\nPING\r\n"));
        assert!(!hello(&[0; 32], &[0; 32], &[0; 32]).starts_with(COMMAND_DOMAIN));
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

        #[test]
        fn decoded_commands_encode_to_the_same_bytes(mut bytes in vec(any::<u8>(), 0..1700), scheme in 0u8..4, suite in 0u8..6) {
            if bytes.len() > 17 {
                (bytes[0], bytes[17]) = (scheme, suite);
            }
            if let Ok(command) = SignedCommand::decode(&bytes) {
                let mut again = Vec::new();
                command.encode_to(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
