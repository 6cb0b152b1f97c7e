use quorate::erasure::{CheckedShard, Coding};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

/// Identity of a commitment: the hash of code, shape, length and root.
pub type CommitmentId = [u8; 32];

/// Messages of a reliable broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The sender's shard for the receiver.
    Value(CheckedShard),
    /// The shard that the sending member received in its Value.
    Echo(CheckedShard),
    /// The sending member knows that the message of this commitment is retrievable.
    Ready(CommitmentId),
}

impl Message {
    /// Returns the maximum length of an encoded message.
    pub fn max_len(coding: &Coding) -> usize {
        1 + CheckedShard::max_encoded_len(coding)
    }
}

/// Encoding: tag 1, 2 or 3 ‖ shard or identity 32.
impl Encode for Message {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Value(shard) => {
                w.u8(1);
                shard.encode_to(w);
            }
            Message::Echo(shard) => {
                w.u8(2);
                shard.encode_to(w);
            }
            Message::Ready(id) => {
                w.u8(3);
                w.raw(id);
            }
        }
    }
}

/// Verifies the shard's path.
impl Decode<Coding> for Message {
    fn decode_from(r: &mut Reader<'_>, coding: &Coding) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Value(CheckedShard::decode_from(r, coding)?),
            2 => Message::Echo(CheckedShard::decode_from(r, coding)?),
            3 => Message::Ready(r.array()?),
            _ => return Err(Error::Malformed { what: "tag of a reliable broadcast message" }),
        })
    }
}
