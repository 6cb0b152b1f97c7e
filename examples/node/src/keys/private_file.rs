//! Small secret files that only their owner can read.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use crate::{NodeError, Result};

/// Maximum size of a key file in bytes.
pub(super) const MAX_FILE: u64 = 16 << 10;
/// Maximum size of a file of shares in bytes.
const MAX_SHARES: u64 = 1 << 20;
const SHARES_LINE: &str = "quorate-shares 1";

/// Writes a small secret file that only its owner can read, durably: the whole file or none.
///
/// # Errors
/// [`NodeError::KeyFile`] if the file exists; [`NodeError::Io`].
pub fn save_private(path: &Path, text: &str) -> Result<()> {
    let failed = |e| NodeError::file("writing the key file", path, e);
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Its mode is 600.
    let mut file = NamedTempFile::new_in(directory).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist_noclobber(path).map_err(|e| match e.error.kind() {
        ErrorKind::AlreadyExists => NodeError::KeyFile {
            path: path.to_owned(),
            problem: "the file exists and is not overwritten; choose another path, or move the file".into(),
        },
        _ => failed(e.error),
    })?;
    File::open(directory).and_then(|d| d.sync_all()).map_err(failed)
}

/// Writes a validator's secrets from a [dealer](crate::protocol::Protocol::deal) to a file that only its owner can read,
/// durably: the line `quorate-shares 1`, and a line of hexadecimal digits.
///
/// # Errors
/// [`NodeError::KeyFile`] if the file exists; [`NodeError::Io`].
pub fn save_shares(path: &Path, shares: &[u8]) -> Result<()> {
    let mut text = Zeroizing::new(vec![0; 2 * shares.len()]);
    let written = hex::encode_to_slice(shares, &mut text);
    let digits = std::str::from_utf8(&text).ok().filter(|_| written.is_ok()).unwrap_or_default();
    let mut file = Zeroizing::new(String::with_capacity(SHARES_LINE.len() + digits.len() + 2));
    for part in [SHARES_LINE, "\n", digits, "\n"] {
        file.push_str(part);
    }
    save_private(path, &file)
}

/// Reads the file of [`save_shares`].
///
/// # Errors
/// [`NodeError::KeyFile`] if others can read the file, or if it is damaged; [`NodeError::Io`].
pub fn load_shares(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let text = load_file(path, MAX_SHARES)?;
    let digits = text.strip_prefix(SHARES_LINE).and_then(|rest| rest.strip_prefix('\n')).map(str::trim_end);
    let damaged = || NodeError::KeyFile {
        path: path.to_owned(),
        problem: format!(
            "expected `{SHARES_LINE}` and hexadecimal digits; check the path, or restore a backup"
        ),
    };
    let digits = digits.ok_or_else(damaged)?;
    let mut shares = Zeroizing::new(vec![0; digits.len() / 2]);
    hex::decode_to_slice(digits, &mut shares).map_err(|_| damaged())?;
    Ok(shares)
}

/// Reads a small secret file.
///
/// # Errors
/// [`NodeError::KeyFile`] if others can read the file, or if it is too large; [`NodeError::Io`].
pub fn load_private(path: &Path) -> Result<Zeroizing<String>> {
    load_file(path, MAX_FILE)
}

fn load_file(path: &Path, max: u64) -> Result<Zeroizing<String>> {
    let failed = |e| NodeError::file("reading the key file", path, e);
    let mut file = File::open(path).map_err(failed)?;
    check_private(path, &file)?;
    if file.metadata().map_err(failed)?.len() > max {
        let problem = "the file is too large for a key file; check the path".to_owned();
        return Err(NodeError::KeyFile { path: path.to_owned(), problem });
    }
    // The buffer has its final size: growing it would leave copies of the secrets in memory.
    let mut text = Zeroizing::new(String::with_capacity(max as usize + 1));
    (&mut file).take(max).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

#[cfg(unix)]
fn check_private(path: &Path, file: &File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    // A credential of systemd has a mode that shows its access list.
    if std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|credentials| path.starts_with(credentials)) {
        return Ok(());
    }
    let metadata = file.metadata().map_err(|e| NodeError::file("reading the key file", path, e))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(NodeError::KeyFile {
            path: path.to_owned(),
            problem: format!("other users can read the file; run `chmod 600 {}`", path.display()),
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_private(_: &Path, _: &File) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn shares_survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shares");
        let shares: Vec<u8> = (0..=255).cycle().take(9000).collect();
        save_shares(&path, &shares).unwrap();
        assert_eq!(*load_shares(&path).unwrap(), shares);
        assert_eq!(save_shares(&path, &shares).unwrap_err().code(), "KEY_FILE");
        for text in
            ["", "quorate-shares 1", "quorate-keys 1\n00\n", "quorate-shares 1\n0\n", "quorate-shares 1\nzz"]
        {
            fs::write(&path, text).unwrap();
            let loaded = load_shares(&path);
            assert!(loaded.is_err_and(|e| e.code() == "KEY_FILE"), "{text:?}");
        }
    }
}
