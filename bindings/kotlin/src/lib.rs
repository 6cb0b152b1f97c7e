//! The native half of the binding of quorate for Kotlin and Java: [`quorate_interface`] behind uniffi.
//!
//! It contains no logic: `quorate-generator` writes a module of each block of the interface. Kotlin code uses the classes
//! that the generator also writes, with those in `src/main/kotlin`, which hide the code that uniffi generates (package
//! `org.quorate.internal`). Conversions: 128-bit integers are big-endian bytes (`glue::Uint128`); errors become one
//! `glue::NativeFailure` with the core's code; mutable state is behind a lock, since Kotlin calls from any thread.
#![allow(unsafe_code, reason = "uniffi's macros make the exported functions")]
#![allow(unreachable_pub, reason = "uniffi's macros make public items in private modules")]

// The blocks that `quorate-interface` declares.
include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

mod attestations;
mod glue;
mod secret;

uniffi::setup_scaffolding!("quorate");

/// Constants of the package.
#[derive(uniffi::Record)]
struct Constants {
    version: String,
    codes: Vec<String>,
}

#[uniffi::export]
fn constants() -> Constants {
    let codes = quorate::Error::CODES.iter().copied().chain([glue::CLOSED]);
    Constants { version: env!("CARGO_PKG_VERSION").to_owned(), codes: codes.map(str::to_owned).collect() }
}
