use std::sync::Arc;

use quorate::committee::CommitteeId;
use quorate::erasure::Coding;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::rbc::{self, CommitmentId};
use crate::setup::Setup;
use crate::signatures::ThresholdScheme;

/// Messages of a provable reliable broadcast.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: ThresholdScheme> {
    /// A message of the reliable broadcast.
    Broadcast(rbc::Message),
    /// The sending member delivered, and signs what it delivered.
    Share(S::Share),
}

/// The proof that a broadcast was delivered by at least one correct member, so that all correct members deliver it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof<S: ThresholdScheme> {
    /// The sender of the broadcast.
    pub sender: MemberIndex,
    /// Identity of the commitment to the delivered message.
    pub id: CommitmentId,
    /// The signature of f + 1 members over the [statement].
    pub signature: S::Signature,
}

/// Returns the bytes that a member signs when it delivers: the domain, committee 32, epoch u64, sender u16, id 32.
pub fn statement(committee: &CommitteeId, epoch: u64, sender: MemberIndex, id: &CommitmentId) -> Vec<u8> {
    let mut w = Writer::with_capacity(domain::ABFT_DELIVERY.len() + 74);
    w.raw(domain::ABFT_DELIVERY.as_bytes());
    w.raw(&committee.0);
    w.u64(epoch);
    w.u16(sender);
    w.raw(id);
    w.into_bytes()
}

impl<S: ThresholdScheme> Proof<S> {
    /// Verifies the proof for an epoch. Cost: one verification of a signature.
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] for a sender outside the committee, and the errors of the scheme.
    pub fn verify(&self, setup: &Arc<Setup<S>>, epoch: u64) -> Result<()> {
        S::verify(&setup.agreed, &self.statement(setup, epoch)?, &self.signature)
    }

    /// Returns the signed [statement].
    ///
    /// # Errors
    /// [`Error::UnknownSigner`] for a sender outside the committee.
    pub(crate) fn statement(&self, setup: &Setup<S>, epoch: u64) -> Result<Vec<u8>> {
        if self.sender >= setup.members() {
            return Err(Error::UnknownSigner { index: self.sender.into() });
        }
        Ok(statement(&setup.committee, epoch, self.sender, &self.id))
    }
}

/// Encoding: tag 1 or 2 ‖ message or share.
impl<S: ThresholdScheme> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Broadcast(message) => {
                w.u8(1);
                message.encode_to(w);
            }
            Message::Share(share) => {
                w.u8(2);
                share.encode_to(w);
            }
        }
    }
}

impl<S: ThresholdScheme> Decode<Coding> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, coding: &Coding) -> Result<Self> {
        Ok(match r.u8()? {
            1 => Message::Broadcast(rbc::Message::decode_from(r, coding)?),
            2 => Message::Share(S::Share::decode_from(r, &())?),
            _ => return Err(Error::Malformed { what: "tag of a provable broadcast message" }),
        })
    }
}

/// Encoding: sender u16 ‖ id 32 ‖ signature.
impl<S: ThresholdScheme> Encode for Proof<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.sender);
        w.raw(&self.id);
        self.signature.encode_to(w);
    }
}

/// Decodes without verification: call [`verify`](Proof::verify).
impl<S: ThresholdScheme> Decode for Proof<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self { sender: r.u16()?, id: r.array()?, signature: S::Signature::decode_from(r, &())? })
    }
}
