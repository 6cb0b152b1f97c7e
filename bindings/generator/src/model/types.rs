//! The types of parameters, results and fields, and descriptions.

/// A type that crosses the boundary between languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text: `String`.
    Text,
    /// Bytes: `&[u8]`, or as a result `Vec<u8>`, `[u8; N]` or `Hash`.
    Bytes,
    /// Bytes of a secret, in results: `SecretBytes`. Those who hold them wipe them where the language allows it.
    SecretBytes,
    /// `bool`.
    Bool,
    /// An unsigned integer of a format: `u8`.
    U8,
    /// An unsigned integer of a format: `u16`.
    U16,
    /// An unsigned integer of a format: `u32`.
    U32,
    /// An unsigned integer of a format: `u64`.
    U64,
    /// An unsigned integer of a format: `u128`.
    U128,
    /// A position or a count in memory: `usize`.
    Size,
    /// A length of bytes in memory: `Length`.
    Length,
    /// A length of bytes that need not be in memory: `AnyLength`.
    AnyLength,
    /// An integer from 1 to 65,535: `NonZeroU16`, in parameters. Zero is out of range, as larger numbers are.
    NonZeroU16,
    /// A span of time: `Duration`. JavaScript has a `bigint` of microseconds.
    Duration,
    /// A signature scheme: `Suite` of the core.
    Suite,
    /// An object of a class of the block, or of one that it imports: `&Class` as a parameter, the class itself or `Self`
    /// as a result.
    Class(String),
    /// An error as a value: `Error`, in results.
    Failure,
    /// A function of the user's that verifies a member's attestation of some bytes: `Attested<'_>`, in parameters.
    Attested,
    /// Several: a slice as a parameter, a `Vec` as a result; of bytes, integers, objects, tuples or verdicts. An optional
    /// parameter can be several lists of `u16`, and a result a list of errors or none.
    List(Box<Type>),
    /// An item of a list in parameters: a tuple of two or three values. A parameter itself can be a pair of bytes.
    Tuple(Vec<Type>),
    /// An item of a list in results: `Result`, the value or an error.
    Verdict(Box<Type>),
    /// One or none: `Option`.
    Optional(Box<Type>),
}

/// A description in Markdown, with links of rustdoc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs {
    /// The text before the section about errors.
    pub text: String,
    /// The errors: the name of a variant of the core's `Error`, and when it occurs.
    pub errors: Vec<(String, String)>,
}

impl Type {
    /// The type of a list's items or of an optional value.
    pub(crate) fn inner(&self) -> Option<&Self> {
        match self {
            Type::List(inner) | Type::Optional(inner) => Some(inner),
            _ => None,
        }
    }

    /// The type within all lists and options.
    pub(crate) fn innermost(&self) -> &Self {
        self.inner().map_or(self, Self::innermost)
    }

    /// The parts of a tuple, or the type itself.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Type::Tuple(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// True if it is or contains this type.
    pub(crate) fn mentions(&self, other: &Self) -> bool {
        let within = match self {
            Type::List(inner) | Type::Optional(inner) | Type::Verdict(inner) => inner.mentions(other),
            Type::Tuple(parts) => parts.iter().any(|part| part.mentions(other)),
            _ => false,
        };
        within || self == other
    }

    /// True for a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self, Type::List(_))
    }

    /// The width of an integer in Rust.
    pub(crate) fn integer(&self) -> Option<&'static str> {
        match self {
            Type::U8 => Some("u8"),
            Type::U16 | Type::NonZeroU16 => Some("u16"),
            Type::U32 => Some("u32"),
            Type::U64 | Type::Size | Type::Length | Type::AnyLength => Some("u64"),
            Type::U128 => Some("u128"),
            _ => None,
        }
    }
}
