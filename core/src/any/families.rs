//! Macros that define and use the enums of [`any`](super).
//!
//! Each enum has one variant per alternative of a *family*, and the variant has the typed value of that alternative:
//!
//! | family | alternatives | values |
//! |---|---|---|
//! | `suite` | all suites | most |
//! | `keys` | all suites | keys and signatures, whose types suites 4 and 5 share with 1 and 2 |
//! | `vrf` | suites with unique signatures | lotteries |
//! | `counted` | suites whose signatures merge with counts | aggregates of gossip |
//! | `bls` | suites 1 and 2 | threshold BLS |
//! | `group` | groups | threshold ECDSA |
//! | `class` | groups, and classes of tags | threshold ECDSA with a threshold that the tag determines |
//! | `tag` | classes of tags | tags of threshold ECDSA |
//!
//! [`per!`] defines an enum with its conversions, [`methods!`] methods of one expression, [`each!`] dispatches on a
//! value, and [`with!`] on a suite or group. [`family!`] is the only list of the alternatives.

/// Calls the rule `@$rule` of `$macro` with the alternatives of a family, followed by `$args`.
///
/// First come the method that returns an enum's suite or group, its type, and the description of a mismatch. Then each
/// alternative has a line: the name of the variant, what the method returns for it, the parameters of the typed value, and
/// the documentation of the variant.
macro_rules! family {
    (suite, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { suite: $crate::any::Suite, "suite";
            #[cfg(feature = "bls")]
            MinSig: MinSig, [$crate::bls::MinSig], "BLS12-381 with short signatures.";
            #[cfg(feature = "bls")]
            MinPk: MinPk, [$crate::bls::MinPk], "BLS12-381 with short keys.";
            #[cfg(feature = "ed25519")]
            Ed25519: Ed25519, [$crate::ed25519::Ed25519], "Ed25519.";
            #[cfg(feature = "gossip")]
            MinSigCounted: MinSigCounted, [$crate::bls::Counted<$crate::bls::MinSig>],
                "BLS12-381 with short signatures and sums with counts.";
            #[cfg(feature = "gossip")]
            MinPkCounted: MinPkCounted, [$crate::bls::Counted<$crate::bls::MinPk>],
                "BLS12-381 with short keys and sums with counts.";
        } $($args)* }
    };
    // The alternatives of which each has key and signature types of its own.
    (keys, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { suite: $crate::any::Suite, "suite";
            #[cfg(feature = "bls")]
            MinSig: MinSig, [$crate::bls::MinSig], "";
            #[cfg(feature = "bls")]
            MinPk: MinPk, [$crate::bls::MinPk], "";
            #[cfg(feature = "ed25519")]
            Ed25519: Ed25519, [$crate::ed25519::Ed25519], "";
        } $($args)* }
    };
    (vrf, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { suite: $crate::any::Suite, "suite";
            MinSig: MinSig, [$crate::bls::MinSig], "BLS12-381 with short signatures.";
            MinPk: MinPk, [$crate::bls::MinPk], "BLS12-381 with short keys.";
            #[cfg(feature = "gossip")]
            MinSigCounted: MinSigCounted, [$crate::bls::Counted<$crate::bls::MinSig>],
                "BLS12-381 with short signatures, merged with counts.";
            #[cfg(feature = "gossip")]
            MinPkCounted: MinPkCounted, [$crate::bls::Counted<$crate::bls::MinPk>],
                "BLS12-381 with short keys, merged with counts.";
        } $($args)* }
    };
    (counted, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { suite: $crate::any::Suite, "suite";
            MinSigCounted: MinSigCounted, [$crate::bls::Counted<$crate::bls::MinSig>],
                "BLS12-381 with short signatures.";
            MinPkCounted: MinPkCounted, [$crate::bls::Counted<$crate::bls::MinPk>],
                "BLS12-381 with short keys.";
        } $($args)* }
    };
    (bls, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { suite: $crate::any::Suite, "suite";
            MinSig: MinSig, [$crate::bls::MinSig], "BLS12-381 with short signatures.";
            MinPk: MinPk, [$crate::bls::MinPk], "BLS12-381 with short keys.";
        } $($args)* }
    };
    (group, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { group: $crate::any::threshold::Group, "group";
            Ristretto255: Ristretto255, [$crate::threshold::Ristretto255], "Over ristretto255.";
            Secp256k1: Secp256k1, [$crate::threshold::Secp256k1], "Over secp256k1.";
        } $($args)* }
    };
    (class, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { group: $crate::any::threshold::Group, "group or class";
            Ristretto255Agreed: Ristretto255,
                [$crate::threshold::Agreed, $crate::threshold::Ristretto255],
                "Over ristretto255, for messages that the parties agree on.";
            Ristretto255Unagreed: Ristretto255,
                [$crate::threshold::Unagreed, $crate::threshold::Ristretto255],
                "Over ristretto255, for messages chosen by one process.";
            Secp256k1Agreed: Secp256k1,
                [$crate::threshold::Agreed, $crate::threshold::Secp256k1],
                "Over secp256k1, for messages that the parties agree on.";
            Secp256k1Unagreed: Secp256k1,
                [$crate::threshold::Unagreed, $crate::threshold::Secp256k1],
                "Over secp256k1, for messages chosen by one process.";
        } $($args)* }
    };
    (tag, $macro:ident $rule:ident $($args:tt)*) => {
        $crate::any::families::$macro! { @$rule { agreement: $crate::threshold::Agreement, "class of the tag";
            Agreed: Agreed, [$crate::threshold::Agreed], "";
            Unagreed: Unagreed, [$crate::threshold::Unagreed], "";
        } $($args)* }
    };
}

/// Defines the enum `$name` of a family, where `$of<S>` is the typed value of the alternative `S`.
///
/// The enum gets the method that returns its alternative, `Debug` and [`ForScheme`](super::ForScheme), and each typed
/// value `From`, and `TryFrom` by value and by reference. After `secret`, `Debug` is not implemented.
macro_rules! per {
    (keys: $(#[$attr:meta])* $name:ident, $of:ident) => {
        $crate::any::families::per! { secret keys: $(#[$attr])* $name, $of }
        $crate::any::families::family! { suite, per debug $name }
    };
    (secret keys: $(#[$attr:meta])* $name:ident, $of:ident) => {
        $crate::any::families::family! { suite, per define $(#[$attr])* $name, $of }
        $crate::any::families::family! { suite, per for_scheme $name, $of }
        $crate::any::families::family! { keys, per convert $name, $of }
    };
    (secret $family:ident: $(#[$attr:meta])* $name:ident, $of:ident) => {
        $crate::any::families::family! { $family, per define $(#[$attr])* $name, $of }
        $crate::any::families::per! { conversions $family: $name, $of }
    };
    (conversions $family:ident: $name:ident, $of:ident) => {
        $crate::any::families::family! { $family, per for_scheme $name, $of }
        $crate::any::families::family! { $family, per convert $name, $of }
    };
    ($family:ident: $(#[$attr:meta])* $name:ident, $of:ident) => {
        $crate::any::families::per! { secret $family: $(#[$attr])* $name, $of }
        $crate::any::families::family! { $family, per debug $name }
    };
    (@define { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$scheme:ty $(, $group:ty)?], $doc:literal;
    )* } $(#[$attr:meta])* $name:ident, $of:ident) => {
        $(#[$attr])*
        pub enum $name {
            $(#[doc = $doc] $(#[$cfg])* $variant($of<$scheme $(, $group)?>),)*
        }

        impl $name {
            #[doc = concat!("Returns the ", stringify!($method), ".")]
            pub fn $method(&self) -> $choice_type {
                match self {
                    $($(#[$cfg])* $name::$variant(_) => <$choice_type>::$choice,)*
                }
            }
        }
    };
    (@debug { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$scheme:ty $(, $group:ty)?], $doc:literal;
    )* } $name:ident) => {
        /// Formats the typed value, which omits secrets.
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $($(#[$cfg])* $name::$variant(typed) => core::fmt::Debug::fmt(typed, f),)*
                }
            }
        }
    };
    (@for_scheme { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$scheme:ty $(, $group:ty)?], $doc:literal;
    )* } $name:ident, $of:ident) => { $(
        $(#[$cfg])*
        impl $crate::any::ForScheme<$scheme $(, $group)?> for $name {
            type Typed = $of<$scheme $(, $group)?>;

            fn from_typed(typed: Self::Typed) -> Self {
                $name::$variant(typed)
            }

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn into_typed(self) -> $crate::Result<Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    other => {
                        let expected = <$choice_type>::$choice;
                        Err($crate::any::Choice::mismatch(expected, other.$method(), $what))
                    }
                }
            }

            #[allow(unreachable_patterns, reason = "there is only one variant if one suite is compiled in")]
            fn as_typed(&self) -> $crate::Result<&Self::Typed> {
                match self {
                    $name::$variant(typed) => Ok(typed),
                    other => {
                        let expected = <$choice_type>::$choice;
                        Err($crate::any::Choice::mismatch(expected, other.$method(), $what))
                    }
                }
            }
        }
    )* };
    (@convert { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$scheme:ty $(, $group:ty)?], $doc:literal;
    )* } $name:ident, $of:ident) => { $(
        $(#[$cfg])*
        impl From<$of<$scheme $(, $group)?>> for $name {
            fn from(typed: $of<$scheme $(, $group)?>) -> Self {
                $name::$variant(typed)
            }
        }

        $(#[$cfg])*
        impl TryFrom<$name> for $of<$scheme $(, $group)?> {
            type Error = $crate::Error;

            fn try_from(any: $name) -> $crate::Result<Self> {
                $crate::any::ForScheme::<$scheme $(, $group)?>::into_typed(any)
            }
        }

        $(#[$cfg])*
        impl<'a> TryFrom<&'a $name> for &'a $of<$scheme $(, $group)?> {
            type Error = $crate::Error;

            fn try_from(any: &'a $name) -> $crate::Result<Self> {
                $crate::any::ForScheme::<$scheme $(, $group)?>::as_typed(any)
            }
        }
    )* };
}

/// Evaluates `$body` with the typed value `$typed` of the enum `$name`. `$scheme` names its scheme or group, or its class
/// in the family `class`.
///
/// Without a family all suites are meant. `_ => …` is for the other suites of an enum that has more than the family.
macro_rules! each {
    ($family:ident: $any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr
        $(, _ => $other:expr)?) => {
        $crate::any::families::family! {
            $family, each arms $any, $name, $scheme, $typed => $body $(, _ => $other)?
        }
    };
    ($any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr) => {
        $crate::any::families::family!(suite, each arms $any, $name, $scheme, $typed => $body)
    };
    (@arms { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$first:ty $(, $group:ty)?], $doc:literal;
    )* } $any:expr, $name:ident, $scheme:ident, $typed:pat => $body:expr $(, _ => $other:expr)?) => {
        match $any {
            $($(#[$cfg])* $name::$variant($typed) => {
                #[allow(dead_code, reason = "not every body names the scheme")]
                type $scheme = $first;
                $body
            })*
            $(#[allow(unreachable_patterns, reason = "without Ed25519 there is no other")] _ => $other,)?
        }
    };
}

/// Evaluates `$body` with the scheme or group that a [`Suite`](super::Suite) or `Group` stands for under the name
/// `$scheme`.
///
/// Without a family all suites are meant. `_ => …` is for the suites outside the family.
macro_rules! with {
    ($family:ident: $choice:expr, $scheme:ident => $body:expr $(, _ => $other:expr)?) => {
        $crate::any::families::family!($family, with arms $choice, $scheme => $body $(, _ => $other)?)
    };
    ($choice:expr, $scheme:ident => $body:expr) => {
        $crate::any::families::family!(suite, with arms $choice, $scheme => $body)
    };
    (@arms { $method:ident: $choice_type:ty, $what:literal; $(
        $(#[$cfg:meta])* $variant:ident: $choice:ident, [$first:ty], $doc:literal;
    )* } $chosen:expr, $scheme:ident => $body:expr $(, _ => $other:expr)?) => {
        match $chosen {
            $($(#[$cfg])* <$choice_type>::$choice => {
                type $scheme = $first;
                $body
            })*
            $(#[allow(unreachable_patterns, reason = "without Ed25519 there is no other")] _ => $other,)?
        }
    };
}

/// Implements methods of which each is one expression of the typed value. The first line is that of [`each!`].
///
/// ```text
/// methods! { suite: self, Vote, S, vote =>
///     /// Returns the signed statement.
///     pub fn statement(&self) -> &Statement = vote.statement();
/// }
/// ```
macro_rules! methods {
    ($family:ident: $self:ident, $name:ident, $scheme:ident, $typed:ident => $(
        $(#[$attr:meta])* pub fn $method:ident $parameters:tt -> $result:ty = $body:expr;
    )*) => {
        impl $name { $(
            $(#[$attr])*
            pub fn $method $parameters -> $result {
                $crate::any::families::each!($family: $self, $name, $scheme, $typed => $body)
            }
        )* }
    };
}

pub(crate) use {each, family, methods, per, with};
