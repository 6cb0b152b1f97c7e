//! serde as a thin layer over the wire encoding: hex text in formats for people, the same bytes in others. What
//! needs a committee to decode (certificates) has no serde form; carry its encoded bytes.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ::serde::de::{self, Deserializer, SeqAccess, Visitor};
use ::serde::ser::Serializer;

use super::{Decode, Encode};

/// The most bytes that this layer reads; no self-standing value of the crate is larger.
const LIMIT: usize = 1 << 16;

/// Writes a value's encoding.
///
/// # Errors
/// The serializer's.
pub fn serialize<T: Encode, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = value.encode();
    if serializer.is_human_readable() {
        serializer.serialize_str(&hex::encode(bytes))
    } else {
        serializer.serialize_bytes(&bytes)
    }
}

/// Reads a value back, with all checks of its decoder.
///
/// # Errors
/// The deserializer's, and the decoder's as text.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let visitor = BytesVisitor(PhantomData);
    if deserializer.is_human_readable() {
        deserializer.deserialize_str(visitor)
    } else {
        deserializer.deserialize_bytes(visitor)
    }
}

struct BytesVisitor<T>(PhantomData<T>);

impl<'de, T: Decode> Visitor<'de> for BytesVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the wire encoding, as bytes or as hex text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        if text.len() > 2 * LIMIT {
            return Err(E::custom("too long"));
        }
        let bytes = hex::decode(text).map_err(|_| E::custom("not hex text"))?;
        // Upper-case digits would be a second encoding of the same value.
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(E::custom("hex digits must be lower case"));
        }
        self.visit_bytes(&bytes)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        T::decode(bytes, &()).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<T, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = items.next_element()? {
            if bytes.len() == LIMIT {
                return Err(de::Error::custom("too long"));
            }
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

/// Implements `Serialize` and `Deserialize` for a type that has `Encode` and `Decode`.
macro_rules! over_the_wire {
    ($type:ty $(, $generic:ident: $bound:path)?) => {
        impl $(<$generic: $bound>)? ::serde::Serialize for $type {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                $crate::wire::serde::serialize(self, serializer)
            }
        }

        impl<'de, $($generic: $bound)?> ::serde::Deserialize<'de> for $type {
            fn deserialize<Z: ::serde::Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
                $crate::wire::serde::deserialize(deserializer)
            }
        }
    };
}

over_the_wire!(crate::committee::ChainId);
over_the_wire!(crate::committee::CommitteeId);
over_the_wire!(crate::scheme::UnverifiedKey<S>, S: crate::scheme::Scheme);
#[cfg(feature = "ed25519")]
over_the_wire!(crate::ed25519::PublicKey);
#[cfg(feature = "ed25519")]
over_the_wire!(crate::ed25519::Signature);
#[cfg(feature = "bls")]
over_the_wire!(crate::bls::PublicKey<V>, V: crate::bls::Variant);
#[cfg(feature = "bls")]
over_the_wire!(crate::bls::Signature<V>, V: crate::bls::Variant);

over_the_wire!(crate::certificate::Statement);
over_the_wire!(crate::certificate::Vote<S>, S: crate::scheme::Scheme);
over_the_wire!(crate::certificate::TimeoutVote<S>, S: crate::scheme::Scheme);
over_the_wire!(crate::certificate::Equivocation<S>, S: crate::scheme::Scheme);
over_the_wire!(crate::guard::GuardRecord);

#[cfg(all(test, feature = "bls"))]
mod tests {
    use crate::bls::{MinSig, PublicKey};
    use crate::scheme::Scheme;
    use crate::wire::Encode;
    use rand::SeedableRng;

    #[test]
    fn text_is_the_hex_of_the_wire_encoding_and_nothing_else_is_read() {
        let secret = MinSig::generate(&mut rand::rngs::StdRng::seed_from_u64(1)).unwrap();
        let key = MinSig::public_key(&secret);
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(text, alloc::format!("\"{}\"", hex::encode(key.encode())));
        assert_eq!(serde_json::from_str::<PublicKey<MinSig>>(&text).unwrap(), key);
        for bad in
            [text.to_uppercase(), text.replacen('8', "9", 1), text.replacen("\"", "\"00", 1), "\"\"".into()]
        {
            assert!(serde_json::from_str::<PublicKey<MinSig>>(&bad).is_err(), "{bad}");
        }
    }
}
