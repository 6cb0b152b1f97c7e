//! The packages, and the parameters of a build.

use std::path::PathBuf;

use clap::ValueEnum;

/// A package for one language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The core for crates.io.
    Crate,
    /// Wheel and source distribution for pip.
    Python,
    /// The jar for Maven, with a native library for this kind of machine.
    Kotlin,
    /// The npm package with a native library for this kind of machine.
    Node,
    /// The npm package of WebAssembly.
    Wasm,
}

impl Part {
    pub(crate) const ALL: &[Part] = &[Part::Crate, Part::Python, Part::Node, Part::Wasm, Part::Kotlin];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Crate => "crate",
            Part::Python => "python",
            Part::Node => "node",
            Part::Wasm => "wasm",
            Part::Kotlin => "kotlin",
        }
    }

    /// Name of its step in the tests.
    pub(crate) fn step(self) -> &'static str {
        match self {
            Part::Crate => "packages, crate",
            Part::Python => "packages, python",
            Part::Node => "packages, node",
            Part::Wasm => "packages, wasm",
            Part::Kotlin => "packages, kotlin",
        }
    }
}

/// Version, profile and output folder of a build.
#[derive(Clone, Debug)]
pub(crate) struct BuildOrder {
    pub(crate) version: String,
    pub(crate) profile: Profile,
    pub(crate) out: PathBuf,
}

/// Profile of native libraries. The modules of WebAssembly have only one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Profile {
    /// The optimised profile, for users.
    Release,
    /// The profile with which the tests compile all crates.
    Tests,
}

impl Profile {
    /// Name of its folder in the target folder.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Tests => "debug",
        }
    }
}
