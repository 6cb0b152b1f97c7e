//! Reads a library for macOS: the oldest system, the install name, the symbols without a library, and the code signature.

use std::collections::BTreeSet;

use goblin::mach::MachO;
use goblin::mach::cputype::{CPU_TYPE_ARM64, CPU_TYPE_X86_64};
use goblin::mach::load_command::CommandVariant;
use goblin::mach::symbols::Nlist;

use super::library::Library;
use super::platforms::{Platform, Processor};
use super::signature;
use crate::process::Outcome;

/// The number of the library from which a symbol comes, where no library is named: the system searches all of them, or it
/// takes the program.
const NO_LIBRARY: &[u16] = &[0xfe, 0xff];
/// Start of an install name without a path of the machine that built the library.
const RELATIVE: &str = "@rpath/";

/// Reads a library and checks what does not depend on the package.
pub(super) fn read(platform: &Platform, mach: &MachO<'_>, bytes: &[u8]) -> Outcome<Library> {
    let processor = match platform.processor {
        Processor::X86_64 => CPU_TYPE_X86_64,
        Processor::Aarch64 => CPU_TYPE_ARM64,
    };
    if mach.header.cputype() != processor {
        return Err(format!(
            "expected the processor {processor} of Mach-O's list, found {}",
            mach.header.cputype()
        ));
    }
    let exports = mach.exports().map_err(|e| e.to_string())?;
    // Mach-O's names have an underscore before those in the source.
    let exports =
        exports.iter().filter_map(|export| export.name.strip_prefix('_')).map(str::to_owned).collect();
    let needs = mach.libs.iter().map(|name| (*name).to_owned()).collect();
    check_install_name(mach.name)?;
    let expects = expected(mach.symbols().flatten());
    let oldest = mach.load_commands.iter().find_map(|command| match command.command {
        CommandVariant::BuildVersion(version) => Some(version.minos),
        CommandVariant::VersionMinMacosx(version) => Some(version.version),
        _ => None,
    });
    let oldest =
        oldest.map(|packed| (packed >> 16, (packed >> 8) & 0xff)).ok_or("it states no version of macOS")?;
    let promised = platform.oldest_macos().ok_or("the platform is not macOS")?;
    if oldest > promised {
        return Err(format!(
            "expected macOS {}.{} or older, found {}.{}",
            promised.0, promised.1, oldest.0, oldest.1
        ));
    }
    let signature = mach.load_commands.iter().find_map(|command| match &command.command {
        CommandVariant::CodeSignature(data) => Some((data.dataoff as usize, data.datasize as usize)),
        _ => None,
    });
    let signed = match signature {
        Some((offset, size)) => {
            let blob = bytes.get(offset..offset.saturating_add(size)).ok_or("its signature is cut off")?;
            format!(", {} signed pages", signature::check(bytes, blob)?)
        }
        // The system loads unsigned libraries on x86-64 only.
        None if platform.processor == Processor::Aarch64 => return Err("it is not signed".to_owned()),
        None => String::new(),
    };
    Ok(Library { exports, needs, expects, oldest: format!("macOS {}.{}{signed}", oldest.0, oldest.1) })
}

/// The linker's default is the path on the machine that built the library.
fn check_install_name(name: Option<&str>) -> Outcome {
    match name {
        Some(name) if name.strip_prefix(RELATIVE).is_some_and(|file| !file.contains('/')) => Ok(()),
        name => Err(format!("expected an install name {RELATIVE}…, found {name:?}")),
    }
}

/// The undefined symbols for which no library is named.
fn expected<'a>(symbols: impl Iterator<Item = (&'a str, Nlist)>) -> BTreeSet<String> {
    symbols
        .filter(|(_, symbol)| !symbol.is_stab() && symbol.is_undefined())
        .filter(|(_, symbol)| NO_LIBRARY.contains(&(symbol.n_desc >> 8)))
        .map(|(name, _)| name.strip_prefix('_').unwrap_or(name).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_install_name_is_no_path() {
        check_install_name(Some("@rpath/libquorate_kotlin.dylib")).unwrap();
        for name in [None, Some("/home/builder/libquorate_kotlin.dylib"), Some("@rpath/deps/lib.dylib")] {
            check_install_name(name).unwrap_err();
        }
    }

    #[test]
    fn symbols_of_named_libraries_are_left_out() {
        let symbol =
            |library: u16| Nlist { n_strx: 0, n_type: 1, n_sect: 0, n_desc: library << 8, n_value: 0 };
        let symbols = [("_malloc", symbol(1)), ("_PyLong_AsLong", symbol(0xfe)), ("_f", symbol(0xff))];
        let found = expected(symbols.into_iter());
        assert_eq!(found, BTreeSet::from(["PyLong_AsLong".to_owned(), "f".to_owned()]));
    }
}
