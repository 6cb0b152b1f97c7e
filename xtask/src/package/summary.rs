//! What was built: names, sizes, hashes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::process::Outcome;

/// One line per file with its size in bytes and its SHA-256.
pub(super) fn table(files: &[PathBuf]) -> Outcome<String> {
    let mut text = String::new();
    for file in files {
        let bytes = read(file)?;
        let hash = hex::encode(Sha256::digest(&bytes));
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{:<52} {:>9} bytes  sha256 {hash}", name(file), bytes.len());
    }
    Ok(text)
}

/// Names and sizes in one line.
pub(super) fn sizes(files: &[PathBuf]) -> Outcome<String> {
    let one = |file: &PathBuf| Ok(format!("{} {}", kind(file), kilobytes(read(file)?.len())));
    Ok(files.iter().map(one).collect::<Outcome<Vec<_>>>()?.join(", "))
}

/// A size for people.
pub(super) fn kilobytes(bytes: usize) -> String {
    format!("{} kB", bytes.div_ceil(1000))
}

fn read(file: &Path) -> Outcome<Vec<u8>> {
    fs::read(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The file's kind in a word.
fn kind(file: &Path) -> String {
    let name = name(file);
    let kinds = [
        (".whl", "wheel"),
        (".tar.gz", "sdist"),
        ("-sources.jar", "sources"),
        (".jar", "jar"),
        (".pom", "pom"),
        (".crate", "crate"),
    ];
    match kinds.iter().find(|(ending, _)| name.ends_with(ending)) {
        Some((_, kind)) => (*kind).to_owned(),
        None if name.starts_with("quorate-wasm") => "npm wasm".to_owned(),
        None => "npm".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_with_its_size_and_hash() {
        let folder = crate::workspace::target("xtask/unit");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("quorate-0.0.0.crate");
        fs::write(&file, "abc").unwrap();
        let shown = table(std::slice::from_ref(&file)).unwrap();
        assert!(
            shown.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            "{shown}"
        );
        assert!(shown.contains(" 3 bytes"), "{shown}");
        assert_eq!(sizes(&[file]).unwrap(), "crate 1 kB");
    }
}
