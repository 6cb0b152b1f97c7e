//! Signatures and keys as OpenSSL reads and writes them: DER, and PEM around it.

use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{GroupKey, Signature};
use quorate::wire::Decode;
use quorate::{Error, Result};

/// Longest signature in DER.
pub const MAX_SIGNATURE: usize = 72;

/// Reads SEQUENCE { INTEGER r, INTEGER s } in its one encoding.
///
/// # Errors
/// [`Error::Malformed`], [`Error::NonCanonical`] for another encoding of the same numbers and for a high s.
pub fn signature(der: &[u8]) -> Result<Signature<Secp256k1>> {
    let malformed = Error::Malformed { what: "signature in DER" };
    let body = der.strip_prefix(&[0x30]).and_then(|rest| rest.get(1..)).ok_or(malformed.clone())?;
    let (r, rest) = integer(body).ok_or(malformed.clone())?;
    let (s, _) = integer(rest).ok_or(malformed)?;
    let signature = Signature::decode(&[r, s].concat(), &())?;
    // Lengths, signs and what follows: whatever differs is another encoding.
    if signature.to_der() != der {
        return Err(Error::NonCanonical { what: "signature in DER" });
    }
    Ok(signature)
}

/// The key as `openssl … -pubin` reads it.
pub fn public_key_pem(key: &GroupKey<Secp256k1>) -> String {
    let mut pem = "-----BEGIN PUBLIC KEY-----\n".to_owned();
    let text = base64(&key.to_spki_der());
    for line in text.as_bytes().chunks(64) {
        pem.extend(line.iter().map(|byte| char::from(*byte)));
        pem.push('\n');
    }
    pem + "-----END PUBLIC KEY-----\n"
}

/// The next INTEGER as 32 bytes, and what follows it.
fn integer(bytes: &[u8]) -> Option<([u8; 32], &[u8])> {
    let (length, rest) = bytes.strip_prefix(&[0x02])?.split_first()?;
    let (digits, rest) = rest.split_at_checked(usize::from(*length))?;
    let digits = if digits.len() == 33 { digits.strip_prefix(&[0])? } else { digits };
    let mut number = [0; 32];
    number.get_mut(32_usize.checked_sub(digits.len())?..)?.copy_from_slice(digits);
    Some((number, rest))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number =
            (0..3).fold(0u32, |number, i| number << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS.get((number >> (18 - 6 * i) & 63) as usize).copied().unwrap_or(b'=');
            text.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_has_one_encoding() {
        // r with a sign byte, s short.
        let mut bytes = [0u8; 64];
        (bytes[0], bytes[33], bytes[63]) = (0x80, 0x7f, 5);
        let signature = Signature::<Secp256k1>::decode(&bytes, &()).unwrap();
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
        // A zero more in front of s.
        let mut padded = der.clone();
        let s = 4 + usize::from(der[3]);
        padded[1] += 1;
        padded[s + 1] += 1;
        padded.insert(s + 2, 0);
        assert_eq!(super::signature(&padded).unwrap_err().code(), "NON_CANONICAL");
    }

    /// RFC 4648, section 10.
    #[test]
    fn it_is_base64() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }
}
