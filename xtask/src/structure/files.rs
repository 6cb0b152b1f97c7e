//! The source files of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Outcome, output_of};
use crate::workspace;

/// The files that git knows or would add, relative to the root, in alphabetical order.
pub(crate) fn repository_files() -> Outcome<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(workspace::root());
    let listed = output_of(&mut git).ok_or("`git ls-files` failed; run it to see why")?;
    let mut files: Vec<PathBuf> = listed.lines().map(PathBuf::from).collect();
    // A file that was deleted and not committed yet is still listed.
    files.retain(|file| workspace::root().join(file).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Reads files, relative to the root, that have one of `extensions`.
pub(crate) fn read_with_extensions(
    files: &[PathBuf],
    extensions: &[&str],
) -> Outcome<BTreeMap<PathBuf, String>> {
    let wanted = files.iter().filter(|file| {
        file.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
    });
    wanted
        .map(|file| {
            let text = fs::read_to_string(workspace::root().join(file));
            text.map(|text| (file.clone(), text)).map_err(|error| format!("{}: {error}", file.display()))
        })
        .collect()
}

/// All Rust files below a folder, in alphabetical order.
pub(crate) fn rust_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}
