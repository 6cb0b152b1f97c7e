use quorate::machine::MemberIndex;
use quorate::threshold::tdh2::DecryptionShare;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::acs;
use crate::signatures::ThresholdScheme;

/// Messages of an epoch.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: ThresholdScheme> {
    /// A message of the common subset.
    Subset(acs::Message<S>),
    /// The sender's share of the decryption of a proposal in the subset.
    Decrypt {
        /// The member whose proposal is decrypted.
        proposer: MemberIndex,
        /// The share.
        share: Box<DecryptionShare>,
    },
}

impl<S: ThresholdScheme> Message<S> {
    /// Returns true if the message is a part of a member's own proposal.
    pub fn is_proposal_of(&self, member: MemberIndex) -> bool {
        use crate::{prbc, rbc};
        let Message::Subset(acs::Message::Broadcast { sender, message: prbc::Message::Broadcast(message) }) =
            self
        else {
            return false;
        };
        *sender == member && matches!(message, rbc::Message::Value(_))
    }

    /// Returns the number of bytes of the shard in the message, which is the only large part of any; 0 without one.
    pub fn shard_len(&self) -> usize {
        use crate::{prbc, rbc};
        let Message::Subset(acs::Message::Broadcast { message: prbc::Message::Broadcast(message), .. }) =
            self
        else {
            return 0;
        };
        match message {
            rbc::Message::Value(shard) | rbc::Message::Echo(shard) => shard.bytes().len(),
            rbc::Message::Ready(_) => 0,
        }
    }
}

/// Encoding: tag 1 ‖ message, or tag 2 ‖ proposer u16 ‖ share 130.
impl<S: ThresholdScheme> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Subset(message) => {
                w.u8(1);
                message.encode_to(w);
            }
            Message::Decrypt { proposer, share } => {
                w.u8(2);
                w.u16(*proposer);
                share.encode_to(w);
            }
        }
    }
}

impl<S: ThresholdScheme> Decode<acs::Limits> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &acs::Limits) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Message::Subset(acs::Message::decode_from(r, limits)?)),
            2 => {
                let proposer = r.u16()?;
                if proposer >= limits.members {
                    return Err(Error::UnknownSigner { index: proposer.into() });
                }
                Ok(Message::Decrypt { proposer, share: Box::new(DecryptionShare::decode_from(r, &())?) })
            }
            _ => Err(Error::Malformed { what: "tag of an epoch message" }),
        }
    }
}
