use std::fmt;
use std::sync::Arc;

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::statement::{Attestation, Slot, sequence};

/// What a decoder must know of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many members there are.
    pub members: u16,
    /// Most bytes of a message that is broadcast.
    pub message: usize,
    /// Most bytes of an announcement; 0 if there are none.
    pub announcement: usize,
}

/// What members say to each other. The link says who speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S> {
    /// A sender's message, and its word on it.
    Send(SignedMessage<S>),
    /// "I have the message of this slot, and will never vouch for another."
    Echo(Attestation<S>),
    /// "Say your echo on this slot again."
    Ask(Slot),
    /// The word of the slot's sender on another message than the receiver has vouched for.
    Witness(Attestation<S>),
    /// One-time keys, ahead of the signatures that they will make.
    Announcement(Arc<[u8]>),
    /// "I have just started, and know nothing of your keys."
    Hello,
}

/// A message and its sender's word on it.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedMessage<S> {
    /// The sender's count.
    pub sequence: u64,
    /// What is broadcast.
    pub message: Arc<[u8]>,
    /// The sender's signature of [`attestation_bytes`](crate::attestation_bytes).
    pub signature: S,
}

/// What must survive a crash: a message that this member vouches for, its own ones included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<S> {
    /// Whose message.
    pub sender: MemberIndex,
    /// The message.
    pub send: SignedMessage<S>,
}

impl<S> Record<S> {
    /// The slot.
    pub fn slot(&self) -> Slot {
        Slot { sender: self.sender, sequence: self.send.sequence }
    }

    /// Its place in a store that keeps the last `tail` of each sender: a later record of the same place takes it.
    pub fn place(&self, tail: u64) -> (MemberIndex, u64) {
        (self.sender, self.send.sequence % tail.max(1))
    }
}

impl<S: Encode> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Send(send) => {
                w.u8(1);
                send.encode_to(w);
            }
            Message::Echo(attestation) => {
                w.u8(2);
                attestation.encode_to(w);
            }
            Message::Ask(slot) => {
                w.u8(3);
                slot.encode_to(w);
            }
            Message::Witness(attestation) => {
                w.u8(4);
                attestation.encode_to(w);
            }
            Message::Announcement(bytes) => {
                w.u8(5);
                w.bytes(bytes);
            }
            Message::Hello => w.u8(6),
        }
    }
}

impl<S: Decode> Decode<Limits> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Send(SignedMessage::decode_from(r, limits)?),
            2 => Message::Echo(Attestation::decode_from(r, &limits.members)?),
            3 => Message::Ask(Slot::decode_from(r, &limits.members)?),
            4 => Message::Witness(Attestation::decode_from(r, &limits.members)?),
            5 if limits.announcement > 0 => {
                Message::Announcement(r.bytes("announcement", limits.announcement)?.into())
            }
            6 => Message::Hello,
            _ => return Err(Error::Malformed { what: "kind of message" }),
        })
    }
}

impl<S: Encode> Encode for SignedMessage<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.sequence);
        w.bytes(&self.message);
        self.signature.encode_to(w);
    }
}

impl<S: Decode> Decode<Limits> for SignedMessage<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        Ok(Self {
            sequence: sequence(r)?,
            message: r.bytes("message", limits.message)?.into(),
            signature: S::decode_from(r, &())?,
        })
    }
}

impl<S: Encode> Encode for Record<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.sender);
        self.send.encode_to(w);
    }
}

impl<S: Decode> Decode<Limits> for Record<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        let sender = r.u16()?;
        if sender >= limits.members {
            return Err(Error::UnknownSigner { index: sender.into() });
        }
        Ok(Self { sender, send: SignedMessage::decode_from(r, limits)? })
    }
}

impl<S: fmt::Debug> fmt::Debug for SignedMessage<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.message.len();
        write!(f, "Sent({}, {len} bytes, {:?})", self.sequence, self.signature)
    }
}
