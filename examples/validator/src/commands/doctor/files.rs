//! Checks of single files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use quorate_node::links::hello;
use quorate_node::store;

use super::finding::Finding;

/// Versions of this program, of its links and of its data directories.
pub(super) fn versions() -> String {
    format!("quorate {}, links {}, data {}", env!("CARGO_PKG_VERSION"), hello::VERSION, store::FORMAT)
}

/// Checks a file that is not secret: not every user may write it.
pub(super) fn public(check: &str, path: &Path) -> Finding {
    let place = path.display();
    match fs::metadata(path).map(|metadata| metadata.permissions().mode()) {
        Ok(mode) if mode & 0o002 != 0 => Finding::warning(
            check,
            format!("{place}: every user can change the file"),
            format!("run `chmod o-w {place}`"),
        ),
        Ok(_) => Finding::ok(check, place.to_string()),
        Err(error) => Finding::failed(check, format!("{place}: {error}"), "check the path"),
    }
}

/// Checks the counter of signatures: it must be on another disk than the data, and no copy of the data may contain it.
pub(super) fn counter(counter: &Path, data: &Path) -> Finding {
    let place = counter.display();
    let Ok(metadata) = fs::metadata(counter) else {
        return Finding::warning(
            "counter",
            format!("{place} does not exist"),
            "the next start creates it, and the validator abstains once; check the path if it existed before",
        );
    };
    if fs::metadata(data).is_ok_and(|data| data.dev() == metadata.dev()) {
        return Finding::warning(
            "counter",
            format!("{place} is on the same file system as the data"),
            "move it to another disk: restored together with the data, it shows nothing",
        );
    }
    Finding::ok("counter", place.to_string())
}

/// Checks that the directory of presignatures, or the one in which the next start creates it, can be written.
pub(super) fn presignatures(directory: &Path) -> Finding {
    let parent = directory.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = if directory.exists() { directory } else { parent };
    match tempfile::tempfile_in(written) {
        Ok(_) => Finding::ok("presignatures", directory.display().to_string()),
        Err(error) => Finding::failed(
            "presignatures",
            format!("{} cannot be written: {error}", written.display()),
            "move the file of shares to a directory that the validator may write, outside the data directory",
        ),
    }
}
