#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod exports;
#[cfg(feature = "toy")]
mod faults;
mod public;
mod rules;

use std::path::Path;

use super::SlashingProtection;
use crate::Result;

const ROOT: [u8; 32] = [4; 32];
const KEY: [u8; 48] = [9; 48];

fn create(directory: &Path) -> SlashingProtection {
    let mut protection = SlashingProtection::create(directory, ROOT).unwrap();
    protection.add_key(&KEY).unwrap();
    protection
}

fn code<T>(result: Result<T>) -> &'static str {
    result.err().map_or("", |error| error.code())
}
