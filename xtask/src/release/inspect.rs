//! Reads compiled libraries of any platform: the functions that a language's runtime looks up must be there, and nothing that
//! the oldest promised system lacks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use goblin::Object;
use goblin::elf::Elf;
use goblin::mach::{Mach, SingleArch};
use goblin::pe::PE;

use super::library::Library;
use super::mach;
use super::platforms::{GLIBC, Platform, Processor, System};
use crate::process::Outcome;

/// What a runtime looks up in the library of each of our packages.
const ENTRIES: &[(&str, &[&str])] = &[
    ("quorate-python", &["PyInit__native"]),
    ("quorate-napi", &["napi_register_module_v1"]),
    (
        "quorate-kotlin",
        &["ffi_quorate_kotlin_uniffi_contract_version", "ffi_quorate_kotlin_rustbuffer_alloc"],
    ),
];
/// Start of the names of the functions that an interpreter has for the libraries it loads.
const EXPECTED: &[(&str, &[&str])] =
    &[("quorate-python", &["Py", "_Py"]), ("quorate-napi", &["napi_", "node_api_"]), ("quorate-kotlin", &[])];
/// Start of the names of uniffi's functions; their number must be that of a whole library.
const UNIFFI: &str = "uniffi_quorate_kotlin_fn_";
const FEWEST_UNIFFI: usize = 100;
/// The libraries that `manylinux` permits and Rust's standard library uses.
const GLIBC_LIBRARIES: &[&str] =
    &["libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libgcc_s.so", "ld-linux"];
const MUSL_LIBRARIES: &[&str] = &["libc.so", "libc.musl-"];
/// Libraries of every Windows, in lower case; the module of Python needs Python's own too.
const WINDOWS_LIBRARIES: &[&str] = &[
    "advapi32.dll",
    "api-ms-win-",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "kernel32.dll",
    "ntdll.dll",
    "userenv.dll",
    "ws2_32.dll",
];
const PYTHON_LIBRARY: &str = "python3.dll";
const MACOS_LIBRARIES: &[&str] = &[
    "/usr/lib/libSystem.",
    "/usr/lib/libiconv.",
    "/usr/lib/libcharset.",
    "/System/Library/Frameworks/",
    "self",
];

/// Checks a library of one of our packages; returns a text about the oldest system that it runs on.
pub(super) fn check(platform: &Platform, package: &str, file: &Path) -> Outcome<String> {
    let named = |reason: String| format!("{}: {reason}", file.display());
    let bytes = fs::read(file).map_err(|e| named(e.to_string()))?;
    let library = read(platform, &bytes).map_err(named)?;
    check_exports(package, &library.exports).map_err(named)?;
    check_needs(platform, package, &library.needs).map_err(named)?;
    check_expected(package, &library.expects).map_err(named)?;
    Ok(library.oldest)
}

fn read(platform: &Platform, bytes: &[u8]) -> Outcome<Library> {
    match (Object::parse(bytes).map_err(|e| e.to_string())?, platform.system) {
        (Object::Elf(elf), System::Glibc | System::Musl) => read_elf(platform, &elf),
        (Object::PE(pe), System::Windows) => read_pe(&pe),
        (Object::Mach(Mach::Binary(found)), System::Macos) => mach::read(platform, &found, bytes),
        (Object::Mach(Mach::Fat(fat)), System::Macos) => match fat.get(0).map_err(|e| e.to_string())? {
            SingleArch::MachO(found) if fat.narches == 1 => mach::read(platform, &found, bytes),
            _ => Err("expected a library for one processor".to_owned()),
        },
        _ => Err(format!("expected a library for {}", platform.name)),
    }
}

fn read_elf(platform: &Platform, elf: &Elf<'_>) -> Outcome<Library> {
    let machine = match platform.processor {
        Processor::X86_64 => goblin::elf::header::EM_X86_64,
        Processor::Aarch64 => goblin::elf::header::EM_AARCH64,
    };
    if elf.header.e_machine != machine {
        return Err(format!(
            "expected the processor {machine} of ELF's list, found {}",
            elf.header.e_machine
        ));
    }
    let defined = elf.dynsyms.iter().filter(|symbol| !symbol.is_import() && symbol.st_bind() != 0);
    let exports =
        defined.filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).map(str::to_owned).collect();
    let needs = elf.libraries.iter().map(|name| (*name).to_owned()).collect();
    let versions: Vec<&str> = elf
        .verneed
        .iter()
        .flat_map(|section| section.iter())
        .flat_map(|need| need.iter().map(|version| version.vna_name).collect::<Vec<_>>())
        .filter_map(|name| elf.dynstrtab.get_at(name))
        .collect();
    let oldest = if platform.system == System::Glibc {
        let (major, minor) = newest_glibc(&versions)?;
        format!("glibc {major}.{minor}")
    } else if versions.iter().any(|version| version.starts_with("GLIBC")) {
        return Err("it needs glibc".to_owned());
    } else {
        "musl".to_owned()
    };
    Ok(Library { exports, needs, oldest, ..Library::default() })
}

/// The newest version of glibc among the versions of symbols. It must be no newer than promised.
fn newest_glibc(versions: &[&str]) -> Outcome<(u32, u32)> {
    let number = |version: &&str| {
        let mut parts = version.strip_prefix("GLIBC_")?.split('.').map(str::parse::<u32>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    };
    let newest = versions.iter().filter_map(number).max().ok_or("no symbol has a version of glibc")?;
    if newest <= GLIBC {
        Ok(newest)
    } else {
        Err(format!(
            "expected symbols of glibc {}.{} or older, found {}.{}",
            GLIBC.0, GLIBC.1, newest.0, newest.1
        ))
    }
}

fn read_pe(pe: &PE<'_>) -> Outcome<Library> {
    if !pe.is_lib || !pe.is_64 || pe.header.coff_header.machine != goblin::pe::header::COFF_MACHINE_X86_64 {
        return Err("expected a library for Windows on x86-64".to_owned());
    }
    let exports = pe.exports.iter().filter_map(|export| export.name).map(str::to_owned).collect();
    let needs = pe.imports.iter().map(|import| import.dll.to_lowercase()).collect();
    Ok(Library { exports, needs, oldest: "Windows 10".to_owned(), ..Library::default() })
}

fn check_exports(package: &str, exports: &BTreeSet<String>) -> Outcome {
    let wanted = ENTRIES.iter().filter(|(name, _)| *name == package).flat_map(|(_, wanted)| wanted.iter());
    for name in wanted {
        if !exports.contains(*name) {
            return Err(format!("expected the exported function {name}; found {} others", exports.len()));
        }
    }
    let functions = exports.iter().filter(|name| name.starts_with(UNIFFI)).count();
    if package == "quorate-kotlin" && functions < FEWEST_UNIFFI {
        return Err(format!("expected at least {FEWEST_UNIFFI} functions {UNIFFI}…, found {functions}"));
    }
    Ok(())
}

fn check_needs(platform: &Platform, package: &str, needs: &BTreeSet<String>) -> Outcome {
    let permitted = match platform.system {
        System::Glibc => GLIBC_LIBRARIES,
        System::Musl => MUSL_LIBRARIES,
        System::Windows => WINDOWS_LIBRARIES,
        System::Macos => MACOS_LIBRARIES,
    };
    let is_own =
        |name: &str| platform.system == System::Macos && name.contains(&platform.library_name(package));
    let is_python = |name: &str| package == "quorate-python" && name == PYTHON_LIBRARY;
    let is_permitted = |name: &str| permitted.iter().any(|start| name.starts_with(start));
    match needs.iter().find(|name| !is_permitted(name) && !is_own(name) && !is_python(name)) {
        Some(name) => Err(format!("it needs {name}, which not every {} has", platform.name)),
        None => Ok(()),
    }
}

/// Checks that a library expects nothing from the program that loads it, except the functions of the interpreter.
fn check_expected(package: &str, expects: &BTreeSet<String>) -> Outcome {
    let permitted =
        EXPECTED.iter().filter(|(name, _)| *name == package).flat_map(|(_, starts)| starts.iter());
    let permitted: Vec<&str> = permitted.copied().collect();
    match expects.iter().find(|name| !permitted.iter().any(|start| name.starts_with(start))) {
        Some(name) => Err(format!("it needs the function {name}, which no library defines")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::platforms::named;

    #[test]
    fn a_symbol_of_a_newer_glibc_is_refused() {
        assert_eq!(newest_glibc(&["GLIBC_2.2.5", "GLIBC_2.17", "GCC_3.0"]), Ok((2, 17)));
        newest_glibc(&["GLIBC_2.2.5", "GLIBC_2.18"]).unwrap_err();
        newest_glibc(&["GCC_3.0"]).unwrap_err();
    }

    #[test]
    fn a_library_must_have_its_entry_points() {
        let exports = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        check_exports("quorate-python", &exports(&["PyInit__native"])).unwrap();
        check_exports("quorate-python", &exports(&["PyInit_native"])).unwrap_err();
        check_exports("quorate-kotlin", &exports(ENTRIES[2].1)).unwrap_err();
    }

    #[test]
    fn only_libraries_of_the_system_are_permitted() {
        let check = |platform, package, name: &str| {
            check_needs(named(platform).unwrap(), package, &BTreeSet::from([name.to_owned()]))
        };
        check("linux-aarch64", "quorate-napi", "libc.so.6").unwrap();
        check("linux-aarch64", "quorate-napi", "libstdc++.so.6").unwrap_err();
        check("linux-x86-64-musl", "quorate-napi", "libgcc_s.so.1").unwrap_err();
        check("windows-x86-64", "quorate-python", "python3.dll").unwrap();
        check("windows-x86-64", "quorate-napi", "python3.dll").unwrap_err();
    }

    #[test]
    fn only_functions_of_the_interpreter_may_be_undefined() {
        let check = |package, name: &str| check_expected(package, &BTreeSet::from([name.to_owned()]));
        check("quorate-python", "PyLong_AsLong").unwrap();
        check("quorate-napi", "napi_create_error").unwrap();
        check("quorate-kotlin", "napi_create_error").unwrap_err();
        check("quorate-python", "blst_p1_add").unwrap_err();
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        read(named("linux-x86-64").unwrap(), b"text").unwrap_err();
    }
}
