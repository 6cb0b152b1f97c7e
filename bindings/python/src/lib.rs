//! The binding of quorate for Python: thin classes around [`quorate::any`], no logic. Users import the package
//! `quorate` in `python/`, which adds the exceptions, the faults and `Suite` in plain Python.
//!
//! `quorate-generator` writes the blocks that `quorate-interface` declares; these modules are written by hand:
//!
//! | module | classes |
//! |---|---|
//! | `keys` | `SecretKey`, `PublicKey`, `Signature`, `UnverifiedKey`, `VerifiedKey` |
//! | `ids`, `statement` | `ChainId`, `CommitteeId`, `Statement` |
//! | `signers` | `SignerSet`, `Suspects` |
//! | `committee` | `Committee` |
//! | `votes`, `collector`, `certificates` | `Vote`, `VoteCollector`, `Certificate` |
//! | `timeouts` | `TimeoutVote`, `TimeoutCollector`, `TimeoutCertificate` |
//! | `evidence`, `guard` | `Equivocation`, `Conflict`, `Guard`, `GuardRecord` |
//! | `wire`, `bls`, `dsig` | the modules of the same names |
//!
//! Rules for all modules: classes are frozen; mutable state is behind a lock that threads wait for only without the
//! interpreter; no Python code runs while a lock is held; work of more than a microsecond releases the interpreter,
//! except that of DSig, which takes little longer. Stored values are properties; computed values are methods.

mod bls;
mod certificates;
mod collector;
mod committee;
mod convert;
mod dsig;
mod evidence;
mod failure;
mod faults;
mod guard;
mod held;
mod ids;
mod keys;
mod layer;
mod pickle;
mod signers;
mod statement;
mod text;
mod timeouts;
mod times;
mod verdicts;
mod verified;
mod votes;
mod wire;

use pyo3::prelude::*;

// The blocks that `quorate-interface` declares.
include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

/// The native part of quorate; import `quorate` instead.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::bls::{
        aggregate, aggregate_verify, aggregate_verify_async, fast_aggregate_verify,
        fast_aggregate_verify_async,
    };
    #[pymodule_export]
    use crate::certificates::{Certificate, VerifiedCertificate};
    #[pymodule_export]
    use crate::collector::VoteCollector;
    #[pymodule_export]
    use crate::committee::Committee;
    #[pymodule_export]
    use crate::dsig::{
        Auditor, Signer, Verifier, dsig_suites, reuse, verify, verify_all, verify_all_async, verify_reuse,
    };
    #[pymodule_export]
    use crate::evidence::{Conflict, Equivocation, VerifiedConflict, VerifiedEquivocation};
    #[pymodule_export]
    use crate::guard::{Guard, GuardRecord};
    #[pymodule_export]
    use crate::ids::{ChainId, CommitteeId};
    #[pymodule_export]
    use crate::keys::{PublicKey, SecretKey, Signature, UnverifiedKey, VerifiedKey};
    #[pymodule_export]
    use crate::signers::{Members, SignerSet, Suspects};
    #[pymodule_export]
    use crate::statement::Statement;
    #[pymodule_export]
    use crate::timeouts::{
        TimeoutCertificate, TimeoutCollector, TimeoutVote, VerifiedTimeoutCertificate, VerifiedTimeoutVote,
    };
    #[pymodule_export]
    use crate::votes::{VerifiedVote, Vote};
    #[pymodule_export]
    use crate::wire::{Reader, Writer, hash};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        register_blocks(module)
    }

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const MAX_MEMBERS: usize = quorate::committee::MAX_MEMBERS;
    #[pymodule_export]
    const MAX_TOTAL_WEIGHT: u128 = quorate::committee::MAX_TOTAL_WEIGHT;
    #[pymodule_export]
    const MAX_TIMEOUT_GROUPS: usize = quorate::certificate::MAX_TIMEOUT_GROUPS;
    #[pymodule_export]
    const DEFAULT_BATCH_THRESHOLD: usize = quorate::certificate::DEFAULT_BATCH_THRESHOLD;

    /// Returns the core's error codes.
    #[pyfunction]
    fn core_codes() -> Vec<&'static str> {
        quorate::Error::CODES.to_vec()
    }

    /// Returns all domain strings of quorate, each with exactly one purpose.
    #[pyfunction]
    fn domains() -> Vec<&'static str> {
        quorate::wire::domain::ALL.to_vec()
    }
}
