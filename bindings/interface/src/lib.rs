//! The interface of quorate's blocks for other languages: the one declaration that all four bindings follow.
//!
//! Each module is a block. `quorate-generator` reads its source and writes, for Python, Node, Kotlin and WebAssembly, the
//! functions that cross the language boundary, the classes that users see, their type declarations and their
//! documentation. So this crate is plain Rust of a restricted form:
//!
//! - A block has public structures, each with one `impl` of public functions. Their parameters and results have the
//!   types that `quorate_generator::model::Type` lists; nothing is generic and nothing borrows beyond the call.
//! - `new` is the constructor. A function without `&self` is a static function of its class.
//! - A structure has `Display`, which becomes its text in each language; with `PartialEq` it can be compared.
//! - The first paragraphs of a comment are the description; `# Errors` lists one error per line, by its link.
//!
//! Attributes in `#[cfg_attr(binding, …)]`, which compiles to nothing, say what types cannot:
//!
//! | attribute | of | meaning |
//! |---|---|---|
//! | `value` | a structure | immutable and equal to the arguments of its constructor; Kotlin keeps it as a data class |
//! | `encoded` | a structure | immutable and equal to its encoding; Kotlin keeps the encoding |
//! | `within = "Class"` | a structure | Kotlin nests its class in that class |
//! | `getter` | a function | a property in languages that have properties |
//! | `quick` | a function | takes less than a microsecond; Python keeps the interpreter's lock meanwhile |

pub mod ciphersuite;
pub mod header;
pub mod merkle;

use quorate::{Error, Result};

/// Returns exactly `N` bytes, or [`Error::WrongLength`] for `what`.
fn exactly<const N: usize>(bytes: &[u8], what: &'static str) -> Result<[u8; N]> {
    let (expected, actual) = (N as u64, bytes.len() as u64);
    bytes.try_into().map_err(|_| Error::WrongLength { what, expected, actual })
}
