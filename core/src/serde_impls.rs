//! serde implementations of the types that decode without a context.
//!
//! The module is above all other modules of the crate, so that none of them depends on another for serde. The form
//! itself is defined in [`wire::serde`](crate::wire::serde).

#[cfg(feature = "bls")]
use crate::bls;
#[cfg(feature = "ed25519")]
use crate::ed25519;
use crate::{certificate, committee, guard, scheme};

/// Implements `Serialize` and `Deserialize` for a type that has `Encode` and `Decode`.
macro_rules! over_the_wire {
    ($type:ty $(, $generic:ident: $bound:path)?) => {
        impl $(<$generic: $bound>)? ::serde::Serialize for $type {
            fn serialize<Z: ::serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
                crate::wire::serde::serialize(self, serializer)
            }
        }

        impl<'de, $($generic: $bound)?> ::serde::Deserialize<'de> for $type {
            fn deserialize<Z: ::serde::Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
                crate::wire::serde::deserialize(deserializer)
            }
        }
    };
}

over_the_wire!(committee::ChainId);
over_the_wire!(committee::CommitteeId);
over_the_wire!(scheme::UnverifiedKey<S>, S: scheme::Scheme);
#[cfg(feature = "ed25519")]
over_the_wire!(ed25519::PublicKey);
#[cfg(feature = "ed25519")]
over_the_wire!(ed25519::Signature);
#[cfg(feature = "bls")]
over_the_wire!(bls::PublicKey<V>, V: bls::Variant);
#[cfg(feature = "bls")]
over_the_wire!(bls::Signature<V>, V: bls::Variant);

over_the_wire!(certificate::Statement);
over_the_wire!(certificate::Vote<S>, S: scheme::Scheme);
over_the_wire!(certificate::TimeoutVote<S>, S: scheme::Scheme);
over_the_wire!(certificate::Equivocation<S>, S: scheme::Scheme);
over_the_wire!(guard::GuardRecord);

#[cfg(all(test, feature = "bls"))]
mod tests {
    use crate::bls::{MinSig, PublicKey};
    use crate::scheme::Scheme;
    use crate::wire::Encode;
    use rand::SeedableRng;

    #[test]
    fn text_is_exactly_the_lower_case_hex_of_the_encoding() {
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
