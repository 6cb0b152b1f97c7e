use std::fmt;
use std::sync::Arc;

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::statement::{Attestation, Slot, sequence};

/// Group parameters that decoders need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of members.
    pub members: u16,
    /// Maximum length of a broadcast message in bytes.
    pub message: usize,
    /// Maximum length of an announcement in bytes; 0 if there are none.
    pub announcement: usize,
}

/// Messages exchanged between members. The link authenticates the sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<S> {
    /// A sender's message with its signature.
    Send(SignedMessage<S>),
    /// Attests the message of a slot; the member attests no other message in that slot.
    Echo(Attestation<S>),
    /// Requests the receiver's echo on a slot again.
    Ask(Slot),
    /// The attestation of the slot's sender for a message other than the one the receiver attested.
    Witness(Attestation<S>),
    /// One-time keys, sent before the signatures made with them.
    Announcement(Arc<[u8]>),
    /// Announces a start: the sender knows no keys of the receiver.
    Hello,
}

/// A message with its sender's signature.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedMessage<S> {
    /// The sender's number of the message.
    pub sequence: u64,
    /// The message.
    pub message: Arc<[u8]>,
    /// The sender's signature of [`attestation_bytes`](crate::attestation_bytes).
    pub signature: S,
}

/// Durable record of a message that this member attests, including its own messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<S> {
    /// The sender of the message.
    pub sender: MemberIndex,
    /// The message with its signature.
    pub send: SignedMessage<S>,
}

impl<S> Record<S> {
    /// Returns the slot of the message.
    pub fn slot(&self) -> Slot {
        Slot { sender: self.sender, sequence: self.send.sequence }
    }

    /// Returns the key of the record in a store that keeps the last `tail` messages of each sender. A later record
    /// with the same key replaces it.
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
            _ => return Err(Error::Malformed { what: "message tag" }),
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
        write!(f, "SignedMessage({}, {len} bytes, {:?})", self.sequence, self.signature)
    }
}
