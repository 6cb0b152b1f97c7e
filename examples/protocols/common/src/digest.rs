//! Names that are hashes.

/// Makes a type of the 32 bytes that name something, of its documentation and its name. Each kind of thing has its own, so
/// that one cannot be taken for another. Debug output is short, display output is all of it in hex.
///
/// ```
/// use quorate::wire::{Decode, Encode};
///
/// quorate_protocol::digest!(
///     /// The name of a cake: the hash of its recipe.
///     CakeDigest
/// );
///
/// let cake = CakeDigest([0xab; 32]);
/// assert_eq!((format!("{cake:?}"), format!("{cake}")), ("abababab…".to_owned(), "ab".repeat(32)));
/// assert_eq!(cake.encode(), [0xab; 32]);
/// assert_eq!(CakeDigest::decode(&[0xab; 32], &()), Ok(cake));
/// assert!(CakeDigest::decode(&[0xab; 31], &()).is_err());
/// ```
#[macro_export]
macro_rules! digest {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                for byte in self.0.iter().take(4) {
                    write!(f, "{byte:02x}")?;
                }
                f.write_str("…")
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl $crate::quorate::wire::Encode for $name {
            fn encode_to(&self, w: &mut $crate::quorate::wire::Writer) {
                w.raw(&self.0);
            }
        }

        impl $crate::quorate::wire::Decode for $name {
            fn decode_from(r: &mut $crate::quorate::wire::Reader<'_>, _: &()) -> $crate::quorate::Result<Self> {
                r.array().map(Self)
            }
        }
    };
}
