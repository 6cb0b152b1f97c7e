//! Authentication of a link. Both sides sign both challenges, so that no side can use the signature of another link.
//!
//! ```text
//!   acceptor  ◀──0──  connector
//!   acceptor  ──challenge 32──▶  connector
//!   acceptor  ◀──role u8, index u16, challenge 32, signature 64──  connector
//!   acceptor  ──0, signature 64──▶  connector        or 1, code, and the link is closed
//! ```
//!
//! A signature covers the domain, the group 32, the side u8 (0 connector, 1 acceptor), the connector's role u8 and index u16,
//! the acceptor's index u16, and both challenges. Afterwards the kernel guarantees that the other end of the shared memory
//! remains the same process. Over TCP all of this happens inside TLS.

use quorate::committee::CommitteeId;
use quorate::ed25519::{Ed25519, PublicKey, SecretKey, Signature};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

/// The connector's first frame: its rings are open.
pub const FIRST: &[u8] = &[0];

/// A challenge.
pub type Challenge = [u8; 32];

/// The two ends of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The side that connected.
    pub connector: Party,
    /// The replica that accepted.
    pub acceptor: u16,
}

/// A party of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A replica.
    Replica(u16),
    /// A client.
    Client(u16),
}

/// The connector's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The party that connects.
    pub party: Party,
    /// Its challenge.
    pub challenge: Challenge,
    /// Its signature.
    pub signature: Signature,
}

/// The acceptor's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Welcome {
    /// The link is open.
    Accepted(Signature),
    /// The link is refused with a code: `IMPOSTOR`, `UNKNOWN`, or `BUSY` if too many clients are connected.
    Refused(String),
}

/// Signs one side of a handshake. `challenges` are the acceptor's and the connector's.
pub fn sign(
    key: &SecretKey,
    group: &CommitteeId,
    ends: Ends,
    as_acceptor: bool,
    challenges: [&Challenge; 2],
) -> Signature {
    Ed25519::sign(key, &signed_bytes(group, ends, as_acceptor, challenges))
}

/// Verifies one side of a handshake.
///
/// # Errors
/// [`Error::BadSignature`].
pub fn verify(
    key: &PublicKey,
    group: &CommitteeId,
    ends: Ends,
    as_acceptor: bool,
    challenges: [&Challenge; 2],
    signature: &Signature,
) -> Result<()> {
    Ed25519::verify(key, &signed_bytes(group, ends, as_acceptor, challenges), signature)
}

fn signed_bytes(group: &CommitteeId, ends: Ends, as_acceptor: bool, challenges: [&Challenge; 2]) -> Vec<u8> {
    let mut w = Writer::with_capacity(160);
    w.raw(domain::REPLICATE_HELLO.as_bytes());
    w.raw(&group.0);
    w.u8(as_acceptor.into());
    ends.connector.encode_to(&mut w);
    w.u16(ends.acceptor);
    challenges.into_iter().for_each(|challenge| w.raw(challenge));
    w.into_bytes()
}

impl Encode for Party {
    fn encode_to(&self, w: &mut Writer) {
        let (role, index) = match self {
            Party::Replica(index) => (0, *index),
            Party::Client(index) => (1, *index),
        };
        w.u8(role);
        w.u16(index);
    }
}

impl Decode for Party {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (is_client, index) = (r.tag()?, r.u16()?);
        Ok(if is_client { Party::Client(index) } else { Party::Replica(index) })
    }
}

impl Encode for Hello {
    fn encode_to(&self, w: &mut Writer) {
        self.party.encode_to(w);
        w.raw(&self.challenge);
        self.signature.encode_to(w);
    }
}

impl Decode for Hello {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            party: Party::decode_from(r, &())?,
            challenge: r.array()?,
            signature: Signature::decode_from(r, &())?,
        })
    }
}

impl Encode for Welcome {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Welcome::Accepted(signature) => {
                w.u8(0);
                signature.encode_to(w);
            }
            Welcome::Refused(code) => {
                w.u8(1);
                w.bytes(code.as_bytes());
            }
        }
    }
}

impl Decode for Welcome {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        if !r.tag()? {
            return Ok(Welcome::Accepted(Signature::decode_from(r, &())?));
        }
        let code = r.bytes("code", 32)?.to_vec();
        String::from_utf8(code).map(Welcome::Refused).map_err(|_| Error::Malformed { what: "code" })
    }
}
