//! Names, sizes and hashes of the built files.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::process::{Outcome, output_of};

/// A Python program that lists archives of every kind.
const LIST_CONTENTS: &str = include_str!("contents.py");

/// A file that users download.
#[derive(Debug)]
pub(crate) struct Built {
    package: &'static str,
    name: String,
    bytes: usize,
    sha256: String,
    /// Number and size of the files in it, and its compiled files.
    contents: Value,
    /// Names of the files in it, without their folders.
    names: Vec<String>,
}

/// Reads sizes, hashes and contents of a package's files.
pub(crate) fn inspect(package: &'static str, files: &[PathBuf]) -> Outcome<Vec<Built>> {
    let output = output_of(Command::new("python3").args(["-c", LIST_CONTENTS]).args(files));
    let output = output.ok_or("python3 cannot open one of the archives that were built")?;
    let contents: Vec<Value> = serde_json::from_str(&output).map_err(|e| e.to_string())?;
    let one = |(file, mut contents): (&PathBuf, Value)| {
        let names = contents.as_object_mut().and_then(|contents| contents.remove("names"));
        let names = serde_json::from_value(names.unwrap_or_default()).map_err(|e| e.to_string())?;
        let bytes = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let sha256 = hex::encode(Sha256::digest(&bytes));
        Ok(Built { package, name: name(file), bytes: bytes.len(), sha256, contents, names })
    };
    files.iter().zip(contents).map(one).collect()
}

/// Fails if a package with a library or module does not have a file.
pub(crate) fn require_file(built: &[Built], name: &str) -> Outcome {
    let lacks =
        |file: &&Built| file.compiled().next().is_some() && !file.names.iter().any(|have| have == name);
    match built.iter().find(lacks) {
        Some(file) => Err(format!("{}: it has compiled code, but no {name}", file.name)),
        None => Ok(()),
    }
}

/// A table with a line per file, and one for each library or module in it.
pub(crate) fn table(built: &[Built]) -> String {
    let mut text = format!("{:<56} {:>9} {:>9}  sha256\n", "bytes of", "download", "unpacked");
    for file in built {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{:<56} {:>9} {:>9}  {}", file.name, file.bytes, file.unpacked(), file.sha256);
        for compiled in file.compiled() {
            let number = |field| compiled.get(field).and_then(Value::as_u64).unwrap_or_default();
            let name = compiled.get("name").and_then(Value::as_str).unwrap_or_default();
            let (bytes, gzip) = (number("bytes"), number("gzip_bytes"));
            let _ = writeln!(text, "  {name:<54} {:>9} {bytes:>9}  {gzip} with gzip", "");
        }
    }
    text
}

/// The same as JSON.
pub(crate) fn json(version: &str, built: &[Built]) -> String {
    let one = |file: &Built| {
        let (package, name, bytes, sha256) = (file.package, &file.name, file.bytes, &file.sha256);
        let mut value = json!({ "package": package, "file": name, "bytes": bytes, "sha256": sha256 });
        if let (Some(value), Some(contents)) = (value.as_object_mut(), file.contents.as_object()) {
            value.extend(contents.clone());
        }
        value
    };
    format!("{:#}", json!({ "version": version, "files": built.iter().map(one).collect::<Vec<_>>() }))
}

/// Kind and size of each file, for the step's line.
pub(crate) fn sizes(built: &[Built]) -> String {
    built
        .iter()
        .map(|file| format!("{} {} kB", file.kind(), file.bytes.div_ceil(1000)))
        .collect::<Vec<_>>()
        .join(", ")
}

impl Built {
    fn unpacked(&self) -> u64 {
        self.contents.get("unpacked_bytes").and_then(Value::as_u64).unwrap_or_default()
    }

    fn compiled(&self) -> impl Iterator<Item = &Value> {
        self.contents.get("compiled").and_then(Value::as_array).into_iter().flatten()
    }

    /// Kind of the file.
    fn kind(&self) -> &'static str {
        let kinds = [
            (".whl", "wheel"),
            (".tar.gz", "sdist"),
            ("-sources.jar", "sources"),
            ("-javadoc.jar", "documentation"),
            (".jar", "jar"),
            (".pom", "pom"),
            (".crate", "crate"),
        ];
        kinds.iter().find(|(ending, _)| self.name.ends_with(ending)).map_or("npm", |(_, kind)| kind)
    }
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_shown_with_sizes_hash_and_libraries() {
        let folder = crate::workspace::target("xtask/unit/summary");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("one.wasm"), [7; 1000]).unwrap();
        fs::write(folder.join("two.txt"), "abc").unwrap();
        let file = folder.join("quorate-0.0.0.tgz");
        let mut tar = Command::new("tar");
        tar.current_dir(&folder).arg("-czf").arg(&file).args(["one.wasm", "two.txt"]);
        assert!(tar.status().unwrap().success());
        let built = inspect("wasm", &[file]).unwrap();
        require_file(&built, "two.txt").unwrap();
        require_file(&built, "three.txt").unwrap_err();
        let shown = table(&built);
        assert!(shown.contains(" 1003  ") && shown.contains("  one.wasm "), "{shown}");
        assert_eq!(sizes(&built), "npm 1 kB");
        let value: Value = serde_json::from_str(&json("0.0.0", &built)).unwrap();
        assert_eq!(value.pointer("/files/0/compiled/0/bytes"), Some(&json!(1000)));
        assert_eq!(value.pointer("/files/0/package"), Some(&json!("wasm")));
    }

    #[test]
    fn a_file_that_is_no_archive_is_refused() {
        let file = crate::workspace::target("xtask/unit/nothing.whl");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "nothing").unwrap();
        inspect("python", &[file]).unwrap_err();
    }
}
