//! The native half of the binding of quorate for Kotlin and Java: [`quorate::any`] behind uniffi.
//!
//! It contains no logic. Each module wraps the core's types of the same name. Kotlin code uses the layer in
//! `src/main/kotlin`, which hides the code that uniffi generates (package `org.quorate.internal`). Conversions: 128-bit
//! integers are big-endian bytes (`glue::Uint128`); 32-byte values are checked on input; errors become one
//! `glue::NativeFailure` with the core's code; mutable state is behind a lock, since Kotlin calls from any thread.
#![allow(unsafe_code, reason = "uniffi's macros make the exported functions")]
#![allow(unreachable_pub, reason = "uniffi's macros make public items in private modules")]

/// The modules that `quorate-generator` wrote: one of each block of the interface.
macro_rules! blocks {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        })*
    };
}

blocks! { ciphersuite erasure header merkle sortition threshold threshold_bls threshold_coin threshold_ecdsa threshold_seal threshold_tdh2 }

mod attestations;
mod bls;
mod certificates;
mod collector;
mod committees;
mod dsig;
mod evidence;
mod glue;
mod gossip;
mod guard;
mod keys;
mod secret;
mod signers;
mod statements;
mod timeouts;
mod votes;
mod wire;

use quorate::certificate::{DEFAULT_BATCH_THRESHOLD, MAX_TIMEOUT_GROUPS};
use quorate::committee::{MAX_MEMBERS, MAX_TOTAL_WEIGHT};

uniffi::setup_scaffolding!("quorate");

/// Constants of the core.
#[derive(uniffi::Record)]
struct Constants {
    version: String,
    codes: Vec<String>,
    domains: Vec<String>,
    max_members: u32,
    max_total_weight: glue::Uint128,
    max_timeout_groups: u32,
    default_batch_threshold: u32,
}

#[uniffi::export]
fn constants() -> Constants {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let mut codes: Vec<String> = owned(quorate::Error::CODES);
    codes.push(glue::CLOSED.to_owned());
    Constants {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        codes,
        domains: owned(quorate::wire::domain::ALL),
        max_members: MAX_MEMBERS as u32,
        max_total_weight: glue::Uint128(MAX_TOTAL_WEIGHT),
        max_timeout_groups: MAX_TIMEOUT_GROUPS as u32,
        default_batch_threshold: DEFAULT_BATCH_THRESHOLD as u32,
    }
}
