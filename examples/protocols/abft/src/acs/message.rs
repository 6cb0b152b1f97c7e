use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use quorate::erasure::Coding;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::prbc::Proof;
use crate::rbc::CommitmentId;
use crate::setup::Setup;
use crate::signatures::{Signed, ThresholdScheme};
use crate::{mvba, prbc};

/// Bounds for decoders.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of members.
    pub members: u16,
    /// The code of the broadcasts.
    pub coding: Coding,
    /// Bounds of the agreement.
    pub agreement: mvba::Limits,
}

/// Messages of the common subset.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: ThresholdScheme> {
    /// A message of the broadcast of `sender`.
    Broadcast {
        /// The member whose value is broadcast.
        sender: MemberIndex,
        /// The message.
        message: prbc::Message<S>,
    },
    /// A message of the agreement on the set of proofs.
    Agree(mvba::Message<S>),
}

/// The value that members agree on: proofs of delivery of N − f broadcasts, ascending by sender.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofSet<S: ThresholdScheme>(Vec<Proof<S>>);

impl<S: ThresholdScheme> ProofSet<S> {
    /// Creates a set of proofs that are ascending by sender.
    pub(super) fn new(proofs: Vec<Proof<S>>) -> Self {
        Self(proofs)
    }

    /// Returns the proofs.
    pub fn proofs(&self) -> &[Proof<S>] {
        &self.0
    }

    /// Returns the length of an encoded set of N − f proofs.
    pub fn encoded_len(setup: &Setup<S>) -> usize {
        4 + setup.available() * (34 + S::signature_len(&setup.agreed))
    }

    /// Verifies the proofs for an epoch. Cost: N − f signatures, verified together.
    ///
    /// # Errors
    /// Those of [`Proof::verify`].
    pub fn verify(&self, setup: &Arc<Setup<S>>, epoch: u64) -> Result<()> {
        self.verify_unknown(setup, epoch, &mut KnownProofs::new())
    }

    /// As [`verify`](Self::verify), except for what is known; remembers the valid proofs before the first wrong one.
    pub(super) fn verify_unknown(
        &self,
        setup: &Arc<Setup<S>>,
        epoch: u64,
        known: &mut KnownProofs<S>,
    ) -> Result<()> {
        let statements =
            self.0.iter().map(|proof| proof.statement(setup, epoch)).collect::<Result<Vec<_>>>()?;
        let signed: Vec<_> = self
            .0
            .iter()
            .zip(&statements)
            .map(|(proof, statement)| Signed {
                statement,
                signature: &proof.signature,
                known: known.get(proof),
            })
            .collect();
        let verified = S::verify_all(&setup.agreed, &signed);
        let is_valid = |one| verified.is_ok() || S::verify_all(&setup.agreed, slice::from_ref(one)).is_ok();
        // One by one up to the first that is not valid: those before it need not be verified again, however often a set with
        // a wrong proof is proposed.
        let valid = signed.iter().take_while(|one| is_valid(*one)).count();
        self.0.iter().take(valid).for_each(|proof| known.remember(proof));
        verified
    }
}

/// The valid proofs of delivery that a member has seen. The proposals of all members repeat them.
///
/// Memory: at most one signature of each member for each broadcast that was delivered.
pub(super) struct KnownProofs<S: ThresholdScheme>(BTreeMap<(MemberIndex, CommitmentId), S::Known>);

impl<S: ThresholdScheme> KnownProofs<S> {
    pub(super) fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn get(&self, proof: &Proof<S>) -> Option<&S::Known> {
        self.0.get(&(proof.sender, proof.id))
    }

    /// Remembers a valid proof.
    pub(super) fn remember(&mut self, proof: &Proof<S>) {
        S::remember(&proof.signature, self.0.entry((proof.sender, proof.id)).or_default());
    }
}

/// Encoding: tag 1 ‖ sender u16 ‖ message, or tag 2 ‖ message.
impl<S: ThresholdScheme> Encode for Message<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Message::Broadcast { sender, message } => {
                w.u8(1);
                w.u16(*sender);
                message.encode_to(w);
            }
            Message::Agree(message) => {
                w.u8(2);
                message.encode_to(w);
            }
        }
    }
}

impl<S: ThresholdScheme> Decode<Limits> for Message<S> {
    fn decode_from(r: &mut Reader<'_>, limits: &Limits) -> Result<Self> {
        match r.u8()? {
            1 => {
                let sender = r.u16()?;
                if sender >= limits.members {
                    return Err(Error::UnknownSigner { index: sender.into() });
                }
                let message = prbc::Message::decode_from(r, &limits.coding)?;
                Ok(Message::Broadcast { sender, message })
            }
            2 => Ok(Message::Agree(mvba::Message::decode_from(r, &limits.agreement)?)),
            _ => Err(Error::Malformed { what: "tag of a common subset message" }),
        }
    }
}

/// Encoding: the proofs as a list with its length as u32.
impl<S: ThresholdScheme> Encode for ProofSet<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.list(&self.0);
    }
}

/// Decodes at most the given number of proofs, without verification.
impl<S: ThresholdScheme> Decode<usize> for ProofSet<S> {
    fn decode_from(r: &mut Reader<'_>, most: &usize) -> Result<Self> {
        let proofs: Vec<Proof<S>> = r.list("proofs of delivery", *most, &())?;
        match proofs.iter().zip(proofs.iter().skip(1)).find(|(one, next)| one.sender >= next.sender) {
            Some((_, next)) => Err(Error::OutOfOrder { index: next.sender.into() }),
            None => Ok(Self(proofs)),
        }
    }
}
