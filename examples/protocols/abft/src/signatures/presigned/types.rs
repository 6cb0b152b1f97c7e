use quorate::bls::{self, MinSig};
use quorate::threshold::{bls as threshold_bls, ecdsa};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use super::group::PresignatureGroup;

/// Threshold ECDSA with presignatures, and BLS where there are none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presigned {}

/// A member's share of a signature.
#[derive(Clone, PartialEq, Debug)]
pub enum PresignedShare {
    /// Of an ECDSA signature, with a presignature.
    Ecdsa(Box<ecdsa::SignatureShare<PresignatureGroup>>),
    /// Of a BLS signature.
    Bls(Box<threshold_bls::SignatureShare<MinSig>>),
}

/// A signature of t members.
#[derive(Clone, PartialEq, Debug)]
pub enum PresignedSignature {
    /// An ECDSA signature, which any library verifies.
    Ecdsa(ecdsa::Signature<PresignatureGroup>),
    /// A BLS signature.
    Bls(bls::Signature<MinSig>),
}

/// Encoding: 1 ‖ ECDSA share, or 2 ‖ BLS share.
impl Encode for PresignedShare {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            PresignedShare::Ecdsa(share) => {
                w.u8(1);
                share.encode_to(w);
            }
            PresignedShare::Bls(share) => {
                w.u8(2);
                share.encode_to(w);
            }
        }
    }
}

impl Decode for PresignedShare {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Self::Ecdsa(Box::new(ecdsa::SignatureShare::decode_from(r, &())?))),
            2 => Ok(Self::Bls(Box::new(threshold_bls::SignatureShare::decode_from(r, &())?))),
            _ => Err(Error::Malformed { what: "kind of a signature share: expected 1 or 2" }),
        }
    }
}

/// Encoding: 1 ‖ ECDSA signature 64, or 2 ‖ BLS signature 48.
impl Encode for PresignedSignature {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            PresignedSignature::Ecdsa(signature) => {
                w.u8(1);
                signature.encode_to(w);
            }
            PresignedSignature::Bls(signature) => {
                w.u8(2);
                signature.encode_to(w);
            }
        }
    }
}

impl Decode for PresignedSignature {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        match r.u8()? {
            1 => Ok(Self::Ecdsa(ecdsa::Signature::decode_from(r, &())?)),
            2 => Ok(Self::Bls(bls::Signature::decode_from(r, &())?)),
            _ => Err(Error::Malformed { what: "kind of a signature: expected 1 or 2" }),
        }
    }
}
