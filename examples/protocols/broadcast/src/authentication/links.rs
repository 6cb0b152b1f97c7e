use std::convert::Infallible;

use quorate::ed25519::PublicKey;
use quorate::machine::{MemberIndex, Time};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::scheme::{Authentication, Finished};

/// No signatures: the link authenticates the sender, and nothing is provable to third parties.
#[derive(Clone, Copy, Debug, Default)]
pub struct Links;

/// The empty signature of [`Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsigned;

impl Encode for Unsigned {
    fn encode_to(&self, _: &mut Writer) {}
}

impl Decode for Unsigned {
    fn decode_from(_: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self)
    }
}

impl Authentication for Links {
    const NAME: &'static str = "none";
    const TRANSFERABLE: bool = false;
    const SIGNATURE_LEN: usize = 0;
    const ANNOUNCEMENT: usize = 0;
    type Signature = Unsigned;
    type Job = Infallible;
    type Done = Infallible;

    fn run(job: Infallible) -> Infallible {
        job
    }

    fn sign(&mut self, _: &[u8], _: Time) -> Result<Unsigned> {
        Ok(Unsigned)
    }

    fn verify(&mut self, _: MemberIndex, _: &[u8], _: &Unsigned) -> Result<()> {
        Ok(())
    }

    fn verify_alone(_: &PublicKey, _: &[u8], _: &Unsigned) -> Result<()> {
        Err(Error::NotEvidence)
    }

    fn finish(&mut self, done: Infallible) -> Finished {
        match done {}
    }
}
