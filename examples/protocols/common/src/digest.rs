//! A macro that declares digest types.

/// Declares a 32-byte digest type with the given documentation and name.
///
/// Each kind of object has its own type, so the compiler rejects one in place of another. `Debug` prints the first 4
/// bytes in hex, `Display` all of them.
///
/// ```
/// use quorate::wire::{Decode, Encode};
///
/// quorate_protocol::digest!(
///     /// The digest of a document: the hash of its text.
///     DocumentDigest
/// );
///
/// let document = DocumentDigest([0xab; 32]);
/// assert_eq!((format!("{document:?}"), format!("{document}")), ("abababab…".to_owned(), "ab".repeat(32)));
/// assert_eq!(document.encode(), [0xab; 32]);
/// assert_eq!(DocumentDigest::decode(&[0xab; 32], &()), Ok(document));
/// assert!(DocumentDigest::decode(&[0xab; 31], &()).is_err());
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
