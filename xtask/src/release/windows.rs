//! The one file that CPython's packages for Windows lack: `python3.dll`, in which all functions are those of the library of
//! one version. Modules that work with several versions need it; every installation of Python has it.

use std::fs;
use std::path::Path;

use goblin::pe::PE;

use super::cross;
use super::runtimes::Runtime;
use crate::process::Outcome;
use crate::steps::Log;

/// Makes `python3.dll` beside the interpreter, with the functions that a module imports from it.
pub(super) fn add_python_library(log: &Log, runtime: &Runtime, module: &Path) -> Outcome {
    let folder = runtime.program().parent().ok_or("the interpreter has no folder")?;
    let library = folder.join("python3.dll");
    let bytes = fs::read(module).map_err(|e| format!("{}: {e}", module.display()))?;
    let pe = PE::parse(&bytes).map_err(|e| format!("{}: {e}", module.display()))?;
    let imported = pe.imports.iter().filter(|import| import.dll.eq_ignore_ascii_case("python3.dll"));
    let names: Vec<&str> = imported.map(|import| import.name.as_ref()).collect();
    if names.is_empty() {
        return Err(format!("{}: it imports nothing from python3.dll", module.display()));
    }
    let version = version_of(folder)?;
    cross::forwarding_library(log, &definitions(&names, &version), &library)
}

/// The name `python311` of the library of one version.
fn version_of(folder: &Path) -> Outcome<String> {
    let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
    let mut names =
        files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".dll").map(str::to_owned));
    names
        .find(|name| name.strip_prefix("python3").is_some_and(|rest| !rest.is_empty()))
        .ok_or_else(|| format!("{}: no library of Python", folder.display()))
}

/// A module-definition file.
fn definitions(names: &[&str], version: &str) -> String {
    names.iter().fold("LIBRARY python3.dll\nEXPORTS\n".to_owned(), |text, name| {
        // Objects such as `PyExc_ValueError` and `PyBaseObject_Type` are forwarded as functions are.
        format!("{text}  {name} = {version}.{name}\n")
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_import_is_forwarded() {
        let text = super::definitions(&["PyLong_AsLong", "PyExc_ValueError"], "python311");
        assert_eq!(
            text,
            "LIBRARY python3.dll\nEXPORTS\n  PyLong_AsLong = python311.PyLong_AsLong\n  PyExc_ValueError = python311.PyExc_ValueError\n"
        );
    }
}
