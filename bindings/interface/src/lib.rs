//! The interface of quorate's blocks for other languages: the one declaration that all four bindings follow.
//!
//! Each module is a block. `quorate-generator` reads its source and writes, for Python, Node, Kotlin and WebAssembly, the
//! functions that cross the language boundary, the classes that users see, their type declarations and their
//! documentation. So this crate is plain Rust of a restricted form:
//!
//! - A block has public structures, which `class!` declares with their public functions, and public functions outside
//!   them. Parameters and results have the types that `quorate_generator::model::Type` lists; nothing is generic, and
//!   only results `&[u8]` borrow.
//! - A block imports classes of other blocks by their paths: `use crate::threshold::Threshold`.
//! - A result can be plain data: a structure of public fields, or an enumeration whose variants have fields. An
//!   enumeration without fields is a set of names, and crosses as the text that `Display` gives and `from_name` takes.
//! - Declarations that two blocks share are a macro of one rule whose parameters are identifiers; it is defined in a
//!   private file of the block around them, or of this crate.
//! - A public constant is an integer literal, which is compared with the core's. `module const` in `class!` is one of
//!   the module, which Kotlin nests in the class.
//! - What `#[cfg(feature = "full")]` excludes is not in the module that only verifies certificates. A file of a block can be
//!   excluded as a whole.
//! - What `#[cfg(all(feature = "full", not(target_family = "wasm")))]` excludes, a whole block, is not in WebAssembly: it
//!   needs what a web page does not have.
//! - A block of several files is a folder, whose `mod.rs` lists them; its public modules are blocks within it.
//! - `new` is the constructor. A function without `&self` is a static function of its class.
//! - A getter `size` is the length that `len` returns in Python.
//! - A structure has `Display`, which becomes its text in each language: `shown` in `class!`, or `named!` for names,
//!   which have `from_name` too. With `PartialEq` it can be compared.
//! - In `class!`, an attribute without a value is a word before `struct` or `fn`, in the order of the macro. Private
//!   functions stand in an `impl` after it; `functions!` lists further public ones, and those of enumerations.
//! - `now: Option<u64>` is a time in microseconds, the current one if none is passed; Kotlin passes it.
//! - The first paragraphs of a comment are the description; then each error begins a line with its link.
//!
//! The folder `operations`, beside that of these modules, has the operations of `spec/vectors` and the behaviours of the
//! blocks over the interface: see `quorate_generator::operations`.
//!
//! Attributes in `#[cfg_attr(binding, …)]`, which compiles to nothing, say what types cannot:
//!
//! | attribute | of | meaning |
//! |---|---|---|
//! | `module = "path"` | a block | users import its names from this module; without it, from the package itself |
//! | `value` | a structure | immutable and equal to the arguments of its constructor; Kotlin keeps those |
//! | `encoded` | a structure | immutable and equal to its encoding, which Kotlin keeps: it has `decode` and `encode`, or `from_bytes` and `bytes` |
//! | `record` | a structure | immutable and equal to its properties; Kotlin keeps those |
//! | `object` | a structure | a native object, with a lock inside if it changes; Kotlin closes it |
//! | `secret` | an `object` | it holds a secret, which no text shows: all languages can close it, which wipes it |
//! | `secret` | a parameter of bytes | Kotlin lends them, and wipes its copy in native memory; byte parameters of static functions of a `secret` object are secret too |
//! | `hex` | a structure | its text is its encoding in hexadecimal digits, also in JSON; `bytes` of one is all of it |
//! | `plain` | a `value` | JavaScript has plain objects, whose fields are the parameters of `new` |
//! | `stateful` | an `object` | its functions change it, and hold its lock only for moments: Python calls quick ones with its interpreter locked, and a promise is rejected if a secret was closed meanwhile |
//! | `set` | an `object` | a set of members: `size`, `contains` and `members` are what the language calls them in its own sets |
//! | `instead = "text"` | a structure | the advice of an error in place of pickling one; without it, to verify its bytes or to create one |
//! | `text = "a-name"` | a variant of an enumeration | the text that crosses; without it, the name in kebab case |
//! | `within = "Class"` | a structure, a constant | Kotlin nests it in that class |
//! | `getter` | a function | a property in languages that have properties |
//! | `computed` | a getter | a method in Python, whose properties are stored values |
//! | `variant` | a static function | a variant of an enumeration: a constant, if it has no parameters |
//! | `variant` | a function outside structures, without parameters | a constant of the module |
//! | `fields` | `new` | JavaScript passes one object, whose fields are the parameters |
//! | `overload = "f"` | a method | also called `f` where the type of the first argument can tell them apart |
//! | `option` | an optional parameter | passed by its name in Python, as a field of a last argument `options` in JavaScript |
//! | `option = "positional"` | an optional parameter | the same, but Python also accepts its position |
//! | `hook` | a method | the user passes a function, which is called before each function with a parameter `answer`; the method itself can have one. It returns `u64`, or `bool` if it has an argument |
//! | `answer = "f"` | a parameter | the result of the function that the user has set with `f`, or none; users do not pass it |
//! | `of = "p"` | a parameter `answer` | that function is called with the argument `p` |
//! | `early` | a method | does not cross: takes an answer before Node queues slow work |
//! | `quick` | a function | takes less than a microsecond, or some tens of an object that is `stateful`; Python keeps the interpreter's lock meanwhile |
//! | `slow` | a method of an `object` or of an `encoded` structure, a static function | Python and Node also have an asynchronous form |
//! | `size` | a function | does not cross: the bytes that the object holds, for the collector of JavaScript |
//! | `spent` | a function of a `secret` object | does not cross: true once the secret is used up; the object then counts as closed |
//! | `default = n` | an optional integer or duration | used for no argument; languages show it, a duration in microseconds |
//! | `limit = n` | a list | at most one item more is read, so that the core reports the error |
//! | `among = "f"`, `default = "p"` | a list | the user passes a predicate; the list has the results of `f` that it accepts, by default those with the property `p` |

/// A class: a structure with its attributes for the generator as words before `struct`, its fields and the traits that
/// it derives; its text, as `shown!` has it; its constants and those that Kotlin nests in it, each with its equal in the
/// core and its description; and its public functions, whose attributes for the generator are words before `fn`.
macro_rules! class {
    ($(#[$attribute:meta])* $(value)? $(encoded)? $(record)? $(object)? $(secret)? $(hex)? $(plain)? $(stateful)? $(set)?
        struct $name:ident($($fields:tt)*): $($derived:ident),*; $($parts:tt)*) => {
        $(#[$attribute])* #[derive($($derived),*)] pub struct $name($($fields)*);
        class! { @of $name $($parts)* }
    };
    ($(#[$attribute:meta])* $(value)? $(encoded)? $(record)? $(object)? $(secret)? $(hex)? $(plain)? $(stateful)? $(set)?
        struct $name:ident { $($fields:tt)* }: $($derived:ident),*; $($parts:tt)*) => {
        $(#[$attribute])* #[derive($($derived),*)] pub struct $name { $($fields)* }
        class! { @of $name $($parts)* }
    };
    (@of $name:ident shown |$self:ident, $formatter:ident| $text:expr; $($parts:tt)*) => {
        shown! { $name: |$self, $formatter| $text; }
        class! { @of $name $($parts)* }
    };
    (@of $name:ident
        const $constant:ident: $kind:ident = $value:literal $(== $core:expr)?, $docs:literal; $($parts:tt)*) => {
        impl $name {
            #[doc = $docs]
            pub const $constant: $kind = $value;
        }
        $(const _: () = assert!($name::$constant as u128 == $core as u128);)?
        class! { @of $name $($parts)* }
    };
    (@of $name:ident
        module const $constant:ident: $kind:ident = $value:literal == $core:expr, $docs:literal; $($parts:tt)*) => {
        #[doc = $docs]
        pub const $constant: $kind = $value;
        const _: () = assert!($constant as u128 == $core as u128);
        class! { @of $name $($parts)* }
    };
    (@of $name:ident $($functions:tt)*) => { functions! { $name: $($functions)* } };
}

/// Public functions of a structure or an enumeration, as in `class!`.
macro_rules! functions {
    ($name:ident:
        $($(#[$attribute:meta])* $(variant)? $(getter)? $(computed)? $(hook)? $(early)? $(fields)? $(quick)? $(slow)? $(size)? $(spent)?
        fn $function:ident($($parameters:tt)*) $(-> $result:ty)? { $($body:tt)* })*) => {
        impl $name { $($(#[$attribute])* pub fn $function($($parameters)*) $(-> $result)? { $($body)* })* }
    };
}

/// `Display` of a type, as it is written to a formatter.
macro_rules! shown {
    ($class:ty: |$self:ident, $formatter:ident| $text:expr;) => {
        impl core::fmt::Display for $class {
            fn fmt(&$self, $formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $text
            }
        }
    };
}

/// The names of an enumeration, which it gives and takes: what it is in errors, and each variant with its name.
#[cfg(feature = "full")]
macro_rules! named {
    ($class:ident, $what:literal: $($variant:ident $name:literal),*) => {
        impl $class {
            /// Returns the one with this name, or [`Error::UnknownName`](quorate::Error).
            pub fn from_name(name: &str) -> quorate::Result<Self> {
                match name {
                    $($name => Ok(Self::$variant),)*
                    other => {
                        let (given, known) = (other.chars().take(64).collect(), &[$($name),*]);
                        Err(quorate::Error::UnknownName { what: $what, given, known })
                    }
                }
            }
        }

        shown! { $class: |self, f| f.write_str(match self { $(Self::$variant => $name),* }); }
    };
}

/// Conversions between an enumeration and that of the core which has the same variants.
#[cfg(feature = "full")]
macro_rules! same_variants {
    ($class:ident, $core:ident: $($name:ident)*) => {
        impl From<$core> for $class {
            fn from(one: $core) -> Self { match one { $($core::$name => Self::$name,)* } }
        }

        impl From<$class> for $core {
            fn from(one: $class) -> Self { match one { $($class::$name => Self::$name,)* } }
        }
    };
}

#[cfg(feature = "full")]
pub mod bls;
pub mod certificates;
#[cfg(feature = "full")]
pub mod ciphersuite;
#[cfg(feature = "full")]
pub mod collectors;
pub mod committee;
#[cfg(feature = "full")]
pub mod dsig;
#[cfg(feature = "full")]
pub mod erasure;
#[cfg(feature = "full")]
pub mod evidence;
#[cfg(feature = "full")]
pub mod faults;
#[cfg(feature = "full")]
pub mod gossip;
#[cfg(feature = "full")]
pub mod guard;
pub mod header;
pub mod ids;
#[cfg(all(feature = "full", not(target_family = "wasm")))]
pub mod journal;
pub mod keys;
#[cfg(feature = "full")]
pub mod light;
#[cfg(feature = "full")]
pub mod merkle;
pub mod signers;
#[cfg(feature = "full")]
pub mod sortition;
pub mod statement;
#[cfg(feature = "full")]
pub mod threshold;
#[cfg(feature = "full")]
pub mod timeouts;
#[cfg(feature = "full")]
pub mod votes;
#[cfg(feature = "full")]
pub mod wire;

#[cfg(feature = "full")]
mod collecting;
mod locked;
mod verified;

use locked::Locked;
use quorate::{Error, Result};

/// Bytes of a secret, wiped when they are dropped.
#[cfg(feature = "full")]
pub type SecretBytes = zeroize::Zeroizing<Vec<u8>>;

/// The user's function that returns true if a member's attestation of some bytes is valid: its parameters are the member,
/// the bytes, and the attestation.
#[cfg(feature = "full")]
pub type Attested<'a> = &'a mut dyn FnMut(u16, &[u8], &[u8]) -> bool;

/// A length in memory. JavaScript passes any length as a number; one that does not fit exceeds each limit.
pub type Length = usize;

/// A length that need not fit into memory.
pub type AnyLength = u64;

/// Returns exactly `N` bytes, or [`Error::WrongLength`] for `what`.
fn exactly<const N: usize>(bytes: &[u8], what: &'static str) -> Result<[u8; N]> {
    let (expected, actual) = (N as u64, bytes.len() as u64);
    bytes.try_into().map_err(|_| Error::WrongLength { what, expected, actual })
}

/// The user's function in the form that the core calls: an invalid attestation is no evidence.
#[cfg(feature = "full")]
fn required(attested: Attested<'_>) -> impl FnMut(u16, &[u8], &[u8]) -> Result<()> {
    |member, bytes, attestation| {
        if attested(member, bytes, attestation) { Ok(()) } else { Err(Error::NotEvidence) }
    }
}

/// How `Display` shows what collects until it is done.
#[cfg(feature = "full")]
fn progress(is_done: bool) -> &'static str {
    if is_done { "done" } else { "collecting" }
}

/// A time of the caller's clock in microseconds, or of the system's.
#[cfg(feature = "full")]
fn at(now: Option<u64>) -> quorate::machine::Time {
    quorate::machine::Time(now.unwrap_or_else(system_time))
}

#[cfg(all(feature = "full", not(target_family = "wasm")))]
fn system_time() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// A module has no clock of its own.
#[cfg(all(feature = "full", target_family = "wasm"))]
fn system_time() -> u64 {
    (js_sys::Date::now() * 1000.0) as u64
}
