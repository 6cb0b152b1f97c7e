//! The type stub of Python's native module: what pyo3 describes in the compiled library, with the few parts that it cannot
//! describe.

use std::path::{Path, PathBuf};

use super::generated::Files;
use crate::process::Outcome;
use crate::steps::Log;

/// What pyo3 writes, and what the stub has instead: pyo3 does not know the modules that the generator writes.
const CORRECTIONS: &[(&str, &str)] = &[
    (
        "from typing import Any, Final",
        "from quorate.ciphersuite import Ciphersuite\nfrom quorate.committee import Committee\nfrom typing import Final",
    ),
    ("(committee: Any) -> Any", "(committee: Committee) -> Ciphersuite"),
];

/// Compiles the library and returns its stub, below the folder of the package.
pub(crate) fn native_stub(log: &Log) -> Outcome<Files> {
    crate::build::libraries(log)?;
    described_in(&crate::build::library("debug", "quorate-python"))
}

/// The stub of a compiled library, whose symbols must not be stripped.
pub(crate) fn described_in(library: &Path) -> Outcome<Files> {
    let mut module = pyo3_introspection::introspect_cdylib(library, "_native")
        .map_err(|e| format!("{}: {e:#}", library.display()))?;
    // What the module adds when it is created belongs to the modules that the generator writes, which have stubs.
    module.incomplete = false;
    let mut files = pyo3_introspection::module_stub_files(&module);
    let stub = match (files.remove(Path::new("__init__.pyi")), files.len()) {
        (Some(stub), 0) => stub,
        _ => return Err("expected one native module without submodules".to_owned()),
    };
    Ok(vec![(PathBuf::from("_native.pyi"), corrected(stub, CORRECTIONS)?)])
}

/// Applies all corrections to what pyo3 wrote.
fn corrected(mut stub: String, corrections: &[(&str, &str)]) -> Outcome<String> {
    for (written, wanted) in corrections {
        if !stub.contains(written) {
            return Err(format!("pyo3 does not write `{written}` any more: correct the list in {}", file!()));
        }
        stub = stub.replace(written, wanted);
    }
    Ok(stub)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_without_its_place_is_noticed() {
        let stub = "def raw(n: Any) -> bytes:\n    ...\n";
        let stale = corrected(stub.to_owned(), &[("m: Any", "m: int")]).unwrap_err();
        assert!(stale.contains("m: Any"), "{stale}");
        let stub = corrected(stub.to_owned(), &[("n: Any", "n: int")]).unwrap();
        assert_eq!(stub, "def raw(n: int) -> bytes:\n    ...\n");
    }
}
