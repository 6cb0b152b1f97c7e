//! What two ends say about themselves inside TLS, before the first frame.
//!
//! ```text
//! hello    magic "qlnk" 4 | version u16 | chain 32 | lane u8 | process 16     55 bytes
//! answer   magic "qlnk" 4 | version u16 | verdict u8 | process 16             23 bytes
//! ```
//!
//! Who both are is what their keys say: a member's index would be that of one epoch, and the two ends may be in
//! different ones. Each travels as a frame. The magic and the version keep their places in all versions to come.

use std::fmt;

use quorate::committee::ChainId;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::Lane;

/// The version of hello, frames and all that travels in them.
pub const VERSION: u16 = 2;
/// Longest hello or answer of any version.
pub const MAX_HELLO: usize = 256;
const MAGIC: [u8; 4] = *b"qlnk";

/// A random number of one process of a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub [u8; 16]);

/// What the connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Frames.
    Lane(Lane),
    /// To see which process answers.
    Probe,
}

/// What the dialer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// [`VERSION`] of the dialer.
    pub version: u16,
    /// Its chain.
    pub chain: ChainId,
    /// What for.
    pub purpose: Purpose,
    /// Its process.
    pub process: InstanceId,
}

/// What the acceptor says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// [`VERSION`] of the acceptor.
    pub version: u16,
    /// Whether the connection stands.
    pub verdict: Verdict,
    /// Its process.
    pub process: InstanceId,
}

/// Whether a connection stands, and if not why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// It stands.
    Welcome = 0,
    /// The two ends are of different chains.
    WrongChain = 1,
    /// The two ends speak different versions.
    WrongVersion = 2,
    /// The identity key is no member's.
    WrongMember = 3,
    /// A newer process with the same identity key is connected.
    SameIdentity = 4,
    /// Too many frames of this dialer were refused a moment ago.
    TooSoon = 5,
}

impl Verdict {
    /// A short code that never changes its meaning.
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
            Verdict::WrongChain => "the two nodes are of different chains; compare genesis files",
            Verdict::WrongVersion => "the two nodes speak different versions; upgrade the older one",
            Verdict::WrongMember => "the identity key is no member's; compare genesis files",
            Verdict::SameIdentity => {
                "a newer process with the same identity key is connected; stop one of the two, a key must never \
                 sign in two places"
            }
            Verdict::TooSoon => "too many frames could not be read; wait a second",
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

/// The version that a hello of any version begins with.
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
        fn whatever_decodes_encodes_to_the_same_bytes(mut bytes in proptest::collection::vec(any::<u8>(), 51..60)) {
            bytes[..4].copy_from_slice(&MAGIC);
            bytes[38] %= 4;
            if let Ok(hello) = Hello::decode(&bytes, &()) {
                prop_assert_eq!(hello.encode(), bytes);
            } else {
                prop_assert!(bytes.len() != 55 || bytes[38] == 3);
            }
        }

        #[test]
        fn answers_too(verdict in 0u8..8, process: [u8; 16]) {
            let bytes = [&MAGIC[..], &[1, 0, verdict], &process].concat();
            match Answer::decode(&bytes, &()) {
                Ok(answer) => prop_assert_eq!(answer.encode(), bytes),
                Err(_) => prop_assert!(verdict > 5),
            }
        }
    }
}
