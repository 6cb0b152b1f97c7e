//! The binding of quorate for Python, without logic. Users import the package `quorate` in `python/`.
//!
//! `quorate-generator` writes the blocks that `quorate-interface` declares: the glue that `blocks.rs` includes, and the
//! modules of the package. Written by hand is what all glue shares: `convert`, `times` and `layer` for arguments and results,
//! `failure` for exceptions, `held` for secrets, `hook` for user code, and `pickle`.
//!
//! Rules for all modules: classes are frozen; mutable state is behind a lock that threads wait for only without the
//! interpreter, unless it is held only for moments; no Python code runs while a lock is held; work of more than a microsecond
//! releases the interpreter, except that of DSig, which takes little longer: a busy thread returns the interpreter only after
//! milliseconds. Stored values are properties; computed values are methods.

mod convert;
mod failure;
mod held;
mod hook;
mod layer;
mod pickle;
mod times;

use pyo3::prelude::*;

// The blocks that `quorate-interface` declares.
include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// The native part of quorate; import `quorate` instead.
#[pymodule(gil_used = false)]
mod _native {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        register_blocks(module)
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Returns the core's error codes.
    #[pyfunction]
    fn core_codes() -> Vec<&'static str> {
        quorate::Error::CODES.to_vec()
    }

    /// Returns the ciphersuite of a committee's messages of another chain, for pickling.
    #[pyfunction]
    fn ciphersuite_of(committee: &crate::committee::Committee) -> crate::ciphersuite::Ciphersuite {
        use quorate::any::Committee;
        let ciphersuite = match &committee.0.0 {
            Committee::MinSig(committee) => committee.ciphersuite().clone(),
            Committee::MinPk(committee) => committee.ciphersuite().clone(),
            _ => quorate::bls::Ciphersuite::default(),
        };
        crate::ciphersuite::Ciphersuite(quorate_interface::ciphersuite::Ciphersuite(ciphersuite))
    }
}
