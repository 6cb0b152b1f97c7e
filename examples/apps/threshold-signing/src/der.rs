//! Signatures and keys in the formats of OpenSSL: DER, and PEM around it.

use der::asn1::UintRef;
use der::{Decode as _, ErrorKind, Reader as _, SliceReader};
use pem_rfc7468::LineEnding;
use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{GroupKey, Signature};
use quorate::wire::Decode;
use quorate::{Error, Result};

use crate::failure::{Exit, Failure, OrFail};

/// Maximum size of a signature in DER.
pub const MAX_SIGNATURE: usize = 72;

/// Decodes SEQUENCE { INTEGER r, INTEGER s } from its only DER encoding.
///
/// # Errors
/// [`Error::Malformed`]; [`Error::NonCanonical`] for another encoding of the same numbers and for a high s.
pub fn signature(bytes: &[u8]) -> Result<Signature<Secp256k1>> {
    let [r, s] = integers(bytes).map_err(|error| match error.kind() {
        ErrorKind::Noncanonical { .. } | ErrorKind::TrailingData { .. } => {
            Error::NonCanonical { what: "signature in DER" }
        }
        _ => Error::Malformed { what: "signature in DER" },
    })?;
    let signature = Signature::decode(&[r, s].concat(), &())?;
    if signature.to_der() != bytes {
        return Err(Error::NonCanonical { what: "signature in DER" });
    }
    Ok(signature)
}

/// Encodes the key as a PEM file that `openssl … -pubin` reads.
///
/// # Errors
/// None for a valid key: the encoder's error is passed on.
pub fn public_key_pem(key: &GroupKey<Secp256k1>) -> std::result::Result<String, Failure> {
    pem_rfc7468::encode_string("PUBLIC KEY", LineEnding::LF, &key.to_spki_der())
        .or_fail(Exit::Failed, "encoding the public key")
}

/// Returns r and s as 32 bytes each, big-endian.
fn integers(bytes: &[u8]) -> der::Result<[[u8; 32]; 2]> {
    let mut reader = SliceReader::new(bytes)?;
    let integers =
        reader.sequence(|body| Ok::<_, der::Error>([UintRef::decode(body)?, UintRef::decode(body)?]))?;
    reader.finish()?;
    let padded = |integer: UintRef<'_>| -> der::Result<[u8; 32]> {
        let (mut number, digits) = ([0; 32], integer.as_bytes());
        let place = 32_usize.checked_sub(digits.len()).and_then(|at| number.get_mut(at..));
        place.ok_or_else(|| der::Error::from(ErrorKind::Overlength))?.copy_from_slice(digits);
        Ok(number)
    };
    let [r, s] = integers;
    Ok([padded(r)?, padded(s)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate::wire::Encode;

    #[test]
    fn a_signature_has_one_encoding() {
        // r with a sign byte, s short.
        let mut bytes = [0u8; 64];
        (bytes[0], bytes[33], bytes[63]) = (0x80, 0x7f, 5);
        let signature = Signature::<Secp256k1>::decode(&bytes, &()).unwrap();
        assert_eq!(signature.encode(), bytes);
        let der = signature.to_der();
        assert_eq!(super::signature(&der), Ok(signature));
        for cut in 0..der.len() {
            assert!(super::signature(&der[..cut]).is_err());
        }
        assert!(super::signature(&[&der[..], &[0]].concat()).is_err());
        for at in 0..der.len() {
            for bit in 0..8 {
                let mut other = der.clone();
                other[at] ^= 1 << bit;
                assert!(super::signature(&other).map_or(true, |s| s != signature && s.to_der() == other));
            }
        }
        // An additional zero in front of s.
        let mut padded = der.clone();
        let s = 4 + usize::from(der[3]);
        padded[1] += 1;
        padded[s + 1] += 1;
        padded.insert(s + 2, 0);
        assert_eq!(super::signature(&padded).unwrap_err().code(), "NON_CANONICAL");
    }
}
