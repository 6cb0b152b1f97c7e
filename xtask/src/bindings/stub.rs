//! The type stub of Python's native module: what pyo3 describes in the compiled library, with the few parts that it cannot
//! describe.

use std::path::{Path, PathBuf};

use super::generated::Files;
use crate::process::Outcome;
use crate::steps::Log;

/// What pyo3 writes, and what the stub has instead. pyo3 does not know the modules that the generator writes, and default
/// values are only known in Rust; `mypy.stubtest` compares them with those that `inspect.signature` shows.
const CORRECTIONS: &[(&str, &str)] = &[
    (
        "from quorate.dsig import",
        "from quorate.ciphersuite import Ciphersuite\nfrom quorate.committee import Committee\nfrom quorate.dsig import",
    ),
    (
        "from quorate.errors import QuorateError",
        "from quorate.errors import QuorateError\nfrom quorate.keys import PublicKey, SecretKey",
    ),
    ("(committee: Any) -> Any", "(committee: Committee) -> Ciphersuite"),
    ("signer: Any", "signer: PublicKey"),
    ("secret: Any", "secret: SecretKey"),
    ("Callable[[Any], bool]", "Callable[[PublicKey], bool]"),
    ("tuple[Any, Buffer", "tuple[PublicKey, Buffer"),
    ("public_key(self, /) -> Any", "public_key(self, /) -> PublicKey"),
    ("evidence: Buffer) -> Any", "evidence: Buffer) -> PublicKey"),
    ("roots: SupportsIndex = ...", "roots: SupportsIndex = 1024"),
    ("hint: Iterable[SupportsIndex] = ...", "hint: Iterable[SupportsIndex] = ()"),
    ("groups: Iterable[Iterable[SupportsIndex]] = ...", "groups: Iterable[Iterable[SupportsIndex]] = ()"),
    ("log2_batch: SupportsIndex = ...", "log2_batch: SupportsIndex = 7"),
    ("low_water: SupportsIndex = ...", "low_water: SupportsIndex = 512"),
    ("lifetime: timedelta = ...", "lifetime: timedelta = timedelta(seconds=10)"),
    ("announced: SupportsIndex = ...", "announced: SupportsIndex = 32"),
    ("checked: SupportsIndex = ...", "checked: SupportsIndex = 8"),
    ("burst: SupportsIndex = ...", "burst: SupportsIndex = 32"),
    ("interval: timedelta = ...", "interval: timedelta = timedelta(microseconds=200)"),
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
    if stub.contains("= ...") {
        return Err(format!("a default value is missing in the stub: add it to the list in {}", file!()));
    }
    Ok(stub)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUB: &str = "class A:\n    def raw(self, n: int = ...) -> bytes:\n        ...\n";

    #[test]
    fn defaults_are_corrected() {
        let stub = corrected(STUB.to_owned(), &[("n: int = ...", "n: int = 3")]).unwrap();
        assert_eq!(stub, "class A:\n    def raw(self, n: int = 3) -> bytes:\n        ...\n");
    }

    #[test]
    fn a_correction_without_its_place_and_a_missing_one_are_noticed() {
        let stale = corrected(STUB.to_owned(), &[("m: int = ...", "m: int = 3")]).unwrap_err();
        assert!(stale.contains("m: int"), "{stale}");
        let missing = corrected(STUB.to_owned(), &[]).unwrap_err();
        assert!(missing.contains("default value"), "{missing}");
    }
}
