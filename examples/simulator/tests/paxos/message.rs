//! Messages and records of the Paxos machines.

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Prepare { height: u64, ballot: u64 },
    Promise { height: u64, ballot: u64, accepted: Option<(u64, u64)> },
    Accept { height: u64, ballot: u64, value: u64 },
    Accepted { height: u64, ballot: u64 },
    Decided { height: u64, value: u64 },
    Ask { height: u64 },
}

impl Body {
    pub fn height(&self) -> u64 {
        match *self {
            Body::Prepare { height, .. }
            | Body::Promise { height, .. }
            | Body::Accept { height, .. }
            | Body::Accepted { height, .. }
            | Body::Decided { height, .. }
            | Body::Ask { height } => height,
        }
    }
}

/// A message with its author's "signature": a keyed checksum, sufficient against random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub from: MemberIndex,
    pub body: Body,
    tag: u64,
}

impl Message {
    pub fn new(from: MemberIndex, body: Body) -> Self {
        let mut w = Writer::new();
        body.encode_to(&mut w);
        Message { from, body, tag: tag(from, &w.into_bytes()) }
    }

    /// Returns the length of the message at the beginning of `bytes`, by its tag.
    pub fn length(bytes: &[u8]) -> usize {
        10 + match bytes.get(2) {
            Some(1 | 4 | 5) => 17,
            Some(2) if bytes.get(19) == Some(&0) => 18,
            Some(2) => 34,
            Some(3) => 25,
            _ => 9,
        }
    }
}

fn tag(from: MemberIndex, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ u64::from(from).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

impl Encode for Body {
    fn encode_to(&self, w: &mut Writer) {
        let (kind, numbers): (u8, &[u64]) = match self {
            Body::Prepare { height, ballot } => (1, &[*height, *ballot]),
            Body::Promise { height, ballot, accepted: None } => (2, &[*height, *ballot]),
            Body::Promise { height, ballot, accepted: Some((b, v)) } => (2, &[*height, *ballot, *b, *v]),
            Body::Accept { height, ballot, value } => (3, &[*height, *ballot, *value]),
            Body::Accepted { height, ballot } => (4, &[*height, *ballot]),
            Body::Decided { height, value } => (5, &[*height, *value]),
            Body::Ask { height } => (6, &[*height]),
        };
        w.u8(kind);
        for (i, number) in numbers.iter().enumerate() {
            if kind == 2 && i == 2 {
                w.u8(1);
            }
            w.u64(*number);
        }
        if kind == 2 && numbers.len() == 2 {
            w.u8(0);
        }
    }
}

impl Decode for Body {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let kind = r.u8()?;
        let height = r.u64()?;
        if height == 0 {
            return Err(Error::Malformed { what: "height" });
        }
        Ok(match kind {
            1 => Body::Prepare { height, ballot: r.u64()? },
            2 => {
                let ballot = r.u64()?;
                let accepted = match r.u8()? {
                    0 => None,
                    1 => Some((r.u64()?, r.u64()?)),
                    _ => return Err(Error::Malformed { what: "option tag" }),
                };
                Body::Promise { height, ballot, accepted }
            }
            3 => Body::Accept { height, ballot: r.u64()?, value: r.u64()? },
            4 => Body::Accepted { height, ballot: r.u64()? },
            5 => Body::Decided { height, value: r.u64()? },
            6 => Body::Ask { height },
            _ => return Err(Error::Malformed { what: "message" }),
        })
    }
}

impl Encode for Message {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.from);
        self.body.encode_to(w);
        w.u64(self.tag);
    }
}

impl Decode for Message {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (from, body, tag) = (r.u16()?, Body::decode_from(r, &())?, r.u64()?);
        let message = Message::new(from, body);
        if message.tag == tag { Ok(message) } else { Err(Error::BadSignature { signers: vec![from] }) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    Promised { ballot: u64 },
    Accepted { ballot: u64, value: u64 },
    Decided { value: u64 },
}

impl Encode for Record {
    fn encode_to(&self, w: &mut Writer) {
        match *self {
            Record::Promised { ballot } => {
                w.u8(1);
                w.u64(ballot);
            }
            Record::Accepted { ballot, value } => {
                w.u8(2);
                w.u64(ballot);
                w.u64(value);
            }
            Record::Decided { value } => {
                w.u8(3);
                w.u64(value);
            }
        }
    }
}

impl Decode for Record {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Record::Promised { ballot: r.u64()? },
            2 => Record::Accepted { ballot: r.u64()?, value: r.u64()? },
            3 => Record::Decided { value: r.u64()? },
            _ => return Err(Error::Malformed { what: "record" }),
        })
    }
}
