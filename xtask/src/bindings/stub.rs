//! The type stub of Python's native module: what pyo3 describes in the compiled library, with the few parts that it cannot
//! describe.

use std::path::{Path, PathBuf};

use super::generated::Files;
use crate::process::Outcome;
use crate::steps::Log;

/// What pyo3 writes, and what the stub has instead. Default values are only known in Rust, as are the parameters of a
/// function that Python passes; `mypy.stubtest` compares the defaults with those that `inspect.signature` shows.
const CORRECTIONS: &[(&str, &str)] = &[
    ("from typing import Any, Final, ", "from typing import Any, Final, TypeAlias, "),
    ("Coroutine[Any, Any, tuple[()]]", "Coroutine[Any, Any, None]"),
    ("roots: SupportsIndex = ...", "roots: SupportsIndex = 1024"),
    ("hint: Iterable[SupportsIndex] = ...", "hint: Iterable[SupportsIndex] = ()"),
    ("members: Iterable[SupportsIndex] = ...", "members: Iterable[SupportsIndex] = ()"),
    ("groups: Iterable[Iterable[SupportsIndex]] = ...", "groups: Iterable[Iterable[SupportsIndex]] = ()"),
    ("log2_batch: SupportsIndex = ...", "log2_batch: SupportsIndex = 7"),
    ("low_water: SupportsIndex = ...", "low_water: SupportsIndex = 512"),
    ("lifetime: timedelta = ...", "lifetime: timedelta = timedelta(seconds=10)"),
    ("announced: SupportsIndex = ...", "announced: SupportsIndex = 32"),
    ("checked: SupportsIndex = ...", "checked: SupportsIndex = 8"),
    ("burst: SupportsIndex = ...", "burst: SupportsIndex = 32"),
    ("interval: timedelta = ...", "interval: timedelta = timedelta(microseconds=200)"),
];

/// The name of `bytes` in classes that have a member of that name.
const ALIAS: &str = "_Bytes: TypeAlias = bytes\n";

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
    let (head, classes) = stub.split_once("\n@final\n").ok_or("expected a class in the native module")?;
    let classes: String =
        classes.split("\n@final\n").map(|class| format!("\n@final\n{}", with_alias(class))).collect();
    Ok(head.replacen("\n__all__", &format!("\n{ALIAS}\n__all__"), 1) + &classes)
}

/// Renames the type `bytes` in a class with a member `bytes`, which hides it.
fn with_alias(class: &str) -> String {
    if class.contains("    def bytes(") { class.replace("-> bytes:", "-> _Bytes:") } else { class.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUB: &str = "import x\n\n__all__ = [\"A\"]\n\nN: Final[int]\n\n@final\nclass A:\n    def raw(self, n: int = ...) -> bytes:\n        ...\n    \
                        def bytes(self) -> bytes: ...\n\ndef f() -> A: ...\n";

    #[test]
    fn defaults_and_hidden_types_are_corrected() {
        let stub = corrected(STUB.to_owned(), &[("n: int = ...", "n: int = 3")]).unwrap();
        let expected = "import x\n\n_Bytes: TypeAlias = bytes\n\n__all__ = [\"A\"]\n\nN: Final[int]\n\n\
                        @final\nclass A:\n    def raw(self, n: int = 3) -> _Bytes:\n        ...\n    def bytes(self) -> _Bytes: ...\n\n\
                        def f() -> A: ...\n";
        assert_eq!(stub, expected);
    }

    #[test]
    fn a_correction_without_its_place_and_a_missing_one_are_noticed() {
        let stale = corrected(STUB.to_owned(), &[("m: int = ...", "m: int = 3")]).unwrap_err();
        assert!(stale.contains("m: int"), "{stale}");
        let missing = corrected(STUB.to_owned(), &[]).unwrap_err();
        assert!(missing.contains("default value"), "{missing}");
    }
}
