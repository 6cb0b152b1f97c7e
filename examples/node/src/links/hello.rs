//! Handshake inside TLS: the two messages before the first frame.
//!
//! ```text
//! hello    magic "qlnk" 4 | version u16 | chain 32 | lane u8 | process 16     55 bytes
//! answer   magic "qlnk" 4 | version u16 | verdict u8 | process 16             23 bytes
//! ```
//!
//! The identity keys identify both ends. Indices are not part of the messages, because the two ends may be in different
//! epochs. Each message is one frame. Magic and version keep their positions in all future versions.

use std::fmt;

use quorate::committee::ChainId;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::types::Lane;

/// Version of the handshake, the frames and the messages in them.
pub const VERSION: u16 = 4;
/// Maximum size of a hello or an answer of any version.
pub const MAX_HELLO: usize = 256;
const MAGIC: [u8; 4] = *b"qlnk";

/// Random number that identifies one run of a validator process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub [u8; 16]);

/// Purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Sending frames on a lane.
    Lane(Lane),
    /// Identifying the process that answers.
    Probe,
}

/// First message, from the dialer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// [`VERSION`] of the dialer.
    pub version: u16,
    /// Chain of the dialer.
    pub chain: ChainId,
    /// Purpose of the connection.
    pub purpose: Purpose,
    /// Process of the sender.
    pub process: InstanceId,
}

/// Second message, from the acceptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// [`VERSION`] of the acceptor.
    pub version: u16,
    /// Whether the connection is accepted.
    pub verdict: Verdict,
    /// Process of the sender.
    pub process: InstanceId,
}

/// Decision about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Accepted.
    Welcome = 0,
    /// The chains of the two ends differ.
    WrongChain = 1,
    /// The protocol versions of the two ends differ.
    WrongVersion = 2,
    /// The identity key belongs to no member.
    WrongMember = 3,
    /// A newer process with the same identity key is connected.
    SameIdentity = 4,
    /// The dialer was disconnected a moment ago for invalid frames.
    TooSoon = 5,
}

impl Verdict {
    /// Stable code.
    pub fn code(self) -> &'static str {
        match self {
            Verdict::Welcome => "WELCOME",
            Verdict::WrongChain => "WRONG_CHAIN",
            Verdict::WrongVersion => "WRONG_VERSION",
            Verdict::WrongMember => "WRONG_MEMBER",
            Verdict::SameIdentity => "SAME_IDENTITY",
            Verdict::TooSoon => "TOO_SOON",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Welcome => "welcome",
            Verdict::WrongChain => "the chains of the two nodes differ; compare their genesis files",
            Verdict::WrongVersion => "the protocol versions of the two nodes differ; upgrade the older node",
            Verdict::WrongMember => "the identity key belongs to no member; compare the genesis files",
            Verdict::SameIdentity => {
                "a newer process with the same identity key is connected; stop one of the two processes, because a key \
                 must never sign in two places"
            }
            Verdict::TooSoon => "too many invalid frames; retry after a second",
        })
    }
}

impl Encode for Hello {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&MAGIC);
        w.u16(self.version);
        w.raw(&self.chain.0);
        w.u8(match self.purpose {
            Purpose::Lane(Lane::Urgent) => 0,
            Purpose::Lane(Lane::Bulk) => 1,
            Purpose::Probe => 2,
        });
        w.raw(&self.process.0);
    }
}

impl Decode for Hello {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            version: version(r)?,
            chain: ChainId(r.array()?),
            purpose: match r.u8()? {
                0 => Purpose::Lane(Lane::Urgent),
                1 => Purpose::Lane(Lane::Bulk),
                2 => Purpose::Probe,
                _ => return Err(Error::Malformed { what: "lane" }),
            },
            process: InstanceId(r.array()?),
        })
    }
}

impl Encode for Answer {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&MAGIC);
        w.u16(self.version);
        w.u8(self.verdict as u8);
        w.raw(&self.process.0);
    }
}

impl Decode for Answer {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            version: version(r)?,
            verdict: match r.u8()? {
                0 => Verdict::Welcome,
                1 => Verdict::WrongChain,
                2 => Verdict::WrongVersion,
                3 => Verdict::WrongMember,
                4 => Verdict::SameIdentity,
                5 => Verdict::TooSoon,
                _ => return Err(Error::Malformed { what: "verdict" }),
            },
            process: InstanceId(r.array()?),
        })
    }
}

/// Reads magic and version, with which a hello of any version begins.
pub(super) fn version(r: &mut Reader<'_>) -> Result<u16> {
    if r.array()? != MAGIC {
        return Err(Error::Malformed { what: "hello" });
    }
    r.u16()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_decoded_hello_encodes_to_the_same_bytes(mut bytes in proptest::collection::vec(any::<u8>(), 51..60)) {
            bytes[..4].copy_from_slice(&MAGIC);
            bytes[38] %= 4;
            if let Ok(hello) = Hello::decode(&bytes, &()) {
                prop_assert_eq!(hello.encode(), bytes);
            } else {
                prop_assert!(bytes.len() != 55 || bytes[38] == 3);
            }
        }

        #[test]
        fn a_decoded_answer_encodes_to_the_same_bytes(verdict in 0u8..8, process: [u8; 16]) {
            let bytes = [&MAGIC[..], &[1, 0, verdict], &process].concat();
            match Answer::decode(&bytes, &()) {
                Ok(answer) => prop_assert_eq!(answer.encode(), bytes),
                Err(_) => prop_assert!(verdict > 5),
            }
        }
    }
}
