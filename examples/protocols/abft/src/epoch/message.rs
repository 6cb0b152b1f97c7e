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
