//! The binding of a data directory to a chain and a validator, and its lock.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Encode;

use super::database::RECORDS_DIRECTORY;
use super::files::{create_dir, replace};
use crate::genesis::ProtocolName;
use crate::{NodeError, Result};

/// Format of data directories, and the first line of their identity.
pub const FORMAT: &str = "quorate-store 1";
const FILE: &str = "IDENTITY";
/// Exists in a directory that was filled from a snapshot and that no node has started with.
const JOINED: &str = "JOINED";
/// How often a start tries to lock the directory: [`inspect`] holds the lock for a moment.
const LOCK_ATTEMPTS: u32 = 10;
/// Time between two attempts.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Chain, protocol and validator to which a data directory is bound. With the records of another key or chain, a guard
/// would not prevent double signing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    protocol: ProtocolName,
    chain: String,
    validator: String,
}

impl Binding {
    /// Binds to a chain and to a validator's two public keys.
    pub fn new<S: Scheme>(
        chain: [u8; 32],
        voting: &S::PublicKey,
        identity: &<Ed25519 as Scheme>::PublicKey,
    ) -> Self {
        let validator =
            format!("{} {} {}", S::NAME, hex::encode(voting.encode()), hex::encode(identity.encode()));
        Self { protocol: ProtocolName::DEFAULT, chain: hex::encode(chain), validator }
    }

    /// Binds to a chain and to the validator that a data directory names, whichever it is.
    ///
    /// # Errors
    /// `IO` if the directory has no data; `CORRUPT`.
    pub fn recorded(dir: &Path, chain: [u8; 32]) -> Result<Self> {
        let path = dir.join(FILE);
        let text = fs::read_to_string(&path).map_err(|e| NodeError::file("reading", &path, e))?;
        let missing =
            || NodeError::corrupt("the data directory", format!("the file {FILE} names no validator"));
        let validator = text.lines().find_map(|line| line.strip_prefix("validator ")).ok_or_else(missing)?;
        Ok(Self {
            protocol: ProtocolName::DEFAULT,
            chain: hex::encode(chain),
            validator: validator.to_owned(),
        })
    }

    /// Binds to a protocol as well: the records of one protocol do not restrict the votes of another.
    #[must_use]
    pub fn with(self, protocol: ProtocolName) -> Self {
        Self { protocol, ..self }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.protocol, self.chain, self.validator)
    }
}

/// Returns true if a directory has no data, as before the first start of a validator.
pub fn is_empty(dir: &Path) -> bool {
    !dir.join(FILE).exists() && !dir.join(RECORDS_DIRECTORY).exists()
}

/// State of a data directory that belongs to a validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataState {
    /// True if a process uses the directory.
    pub in_use: bool,
    /// Time of the creation, in seconds since 1970.
    pub created: u64,
}

/// Checks the binding of a data directory without writing to it. Returns `None` if the directory has no data.
///
/// The lock is held for a moment, if it is free. A node that starts in that moment tries again.
///
/// # Errors
/// Those of a start: `DATA_MISMATCH`, `CORRUPT`, `IO`.
pub fn inspect(dir: &Path, binding: &Binding) -> Result<Option<DataState>> {
    if is_empty(dir) {
        return Ok(None);
    }
    let path = dir.join(FILE);
    let text = fs::read_to_string(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => {
            let problem = format!("{} has records but no file {FILE}", dir.display());
            NodeError::corrupt("the data directory", problem)
        }
        _ => NodeError::file("reading", &path, e),
    })?;
    check_complete(dir)?;
    let created = check(dir, &text, binding)?;
    let lock = dir.join("LOCK");
    let in_use = match File::open(&lock).map(|file| file.try_lock_shared()) {
        Ok(Ok(())) => false,
        Ok(Err(TryLockError::WouldBlock)) => true,
        Ok(Err(TryLockError::Error(e))) => return Err(NodeError::file("locking", &lock, e)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => false,
        Err(e) => return Err(NodeError::file("opening", &lock, e)),
    };
    Ok(Some(DataState { in_use, created }))
}

/// Checks that a founder of the chain starts with its records, except at its first start. The directory of a node that joined from a
/// snapshot has none at its first start.
///
/// # Errors
/// `EMPTY_DATA` for a directory without records and without `new_validator`; `DATA_EXISTS` for a directory in use with it.
pub(crate) fn check_first_start(dir: &Path, new_validator: bool) -> Result<()> {
    match (is_empty(dir) || is_joined(dir), new_validator) {
        (true, false) => Err(NodeError::EmptyData { path: dir.to_owned() }),
        (false, true) => Err(NodeError::DataExists { path: dir.to_owned() }),
        _ => Ok(()),
    }
}

/// Marks a directory that was filled from a snapshot, durably.
pub(super) fn mark_joined(dir: &Path) -> Result<()> {
    let text = b"Filled from a snapshot: it has no records of signatures yet.\n";
    replace(&dir.join(JOINED), |file| file.write_all(text))
}

/// Returns true if a directory was filled from a snapshot, and no node has started with it.
pub(crate) fn is_joined(dir: &Path) -> bool {
    dir.join(JOINED).exists()
}

/// A node starts with the directory: from now on it has the records of what the node signs.
pub(crate) fn end_first_start(dir: &Path) -> Result<()> {
    let path = dir.join(JOINED);
    match fs::remove_file(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(NodeError::file("deleting", &path, e)),
        Err(_) => Ok(()),
        Ok(()) => super::files::sync_dir(dir),
    }
}

/// Creates the directory if necessary, locks it for this process (it waits a moment for [`inspect`]), and checks or writes its binding. Returns the lock and the
/// creation time in seconds since 1970.
pub(super) fn claim(dir: &Path, binding: &Binding) -> Result<(File, u64)> {
    create_dir(dir)?;
    let path = dir.join("LOCK");
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|e| NodeError::file("opening", &path, e))?;
    let mut attempts = 0;
    while let Err(error) = lock.try_lock() {
        attempts += 1;
        match error {
            TryLockError::Error(e) => return Err(NodeError::file("locking", &path, e)),
            TryLockError::WouldBlock if attempts == LOCK_ATTEMPTS => {
                return Err(NodeError::DataInUse { path: dir.to_owned() });
            }
            TryLockError::WouldBlock => thread::sleep(LOCK_PAUSE),
        }
    }
    let path = dir.join(FILE);
    let created = match fs::read_to_string(&path) {
        Ok(text) => {
            check_complete(dir)?;
            check(dir, &text, binding)?
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => create(dir, &path, binding)?,
        Err(e) => return Err(NodeError::file("reading", &path, e)),
    };
    Ok((lock, created))
}

fn create(dir: &Path, path: &Path, binding: &Binding) -> Result<u64> {
    if dir.join(RECORDS_DIRECTORY).exists() {
        let problem = format!("{} has records but no file {FILE}", dir.display());
        return Err(NodeError::corrupt("the data directory", problem));
    }
    let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let text = format!(
        "# Binding of this data directory. Never edit or copy it: a key that signs from two copies signs twice.\n\
         {FORMAT}\nchain {}\nvalidator {}\ncreated {created}\n{}",
        binding.chain,
        binding.validator,
        // Absence means the default protocol: the format is older than the choice of protocol.
        match &binding.protocol {
            protocol if *protocol == ProtocolName::DEFAULT => String::new(),
            protocol => format!("protocol {protocol}\n"),
        }
    );
    replace(path, |file| file.write_all(text.as_bytes()))?;
    tracing::info!(directory = %dir.display(), "started with an empty data directory");
    Ok(created)
}

/// Checks that no one removed the records, which are created before all other data. Without them the key would sign again
/// what it has signed.
fn check_complete(dir: &Path) -> Result<()> {
    if dir.join(RECORDS_DIRECTORY).exists() {
        return Ok(());
    }
    let reading = |e| NodeError::file("reading", dir, e);
    for entry in fs::read_dir(dir).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        if entry.path().is_dir() {
            let (directory, other) = (dir.display(), entry.file_name());
            let problem = format!("{directory} has {} but no {RECORDS_DIRECTORY}", other.to_string_lossy());
            return Err(NodeError::corrupt("the data directory", problem));
        }
    }
    Ok(())
}

fn check(dir: &Path, text: &str, binding: &Binding) -> Result<u64> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let format = lines.next().unwrap_or_default();
    let mismatch = |what, found: &str, expected: &str| NodeError::DataMismatch {
        path: dir.to_owned(),
        what,
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    if format != FORMAT {
        return Err(mismatch("format", format, FORMAT));
    }
    let mut field = |name: &str| {
        let value = lines.next().and_then(|line| line.strip_prefix(name)).and_then(|v| v.strip_prefix(' '));
        value.ok_or_else(|| {
            NodeError::corrupt("the data directory", format!("the file {FILE} lacks the line `{name}`"))
        })
    };
    let (chain, validator, created) = (field("chain")?, field("validator")?, field("created")?);
    let protocol = lines.next().and_then(|line| line.strip_prefix("protocol "));
    let (protocol, expected) =
        (protocol.unwrap_or(ProtocolName::DEFAULT.as_str()), binding.protocol.as_str());
    if protocol != expected {
        return Err(mismatch("protocol", protocol, expected));
    }
    if chain != binding.chain {
        return Err(mismatch("chain", chain, &binding.chain));
    }
    if validator != binding.validator {
        return Err(mismatch("validator", validator, &binding.validator));
    }
    created
        .parse()
        .map_err(|_| NodeError::corrupt("the data directory", format!("the file {FILE} is damaged")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(chain: u8, validator: &str) -> Binding {
        let protocol = ProtocolName::DEFAULT;
        Binding { protocol, chain: hex::encode([chain; 32]), validator: validator.into() }
    }

    #[test]
    fn a_directory_is_bound_to_one_chain_and_validator() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        let (lock, created) = claim(&path, &binding(1, "v")).unwrap();
        assert!(created > 1_700_000_000);
        assert_eq!(claim(&path, &binding(1, "v")).unwrap_err().code(), "DATA_IN_USE");
        drop(lock);
        assert_eq!(claim(&path, &binding(1, "v")).unwrap().1, created);
        let mismatch = |b: &Binding| match claim(&path, b).unwrap_err() {
            NodeError::DataMismatch { what, .. } => what,
            other => panic!("{other}"),
        };
        assert_eq!(mismatch(&binding(2, "v")), "chain");
        assert_eq!(mismatch(&binding(1, "w")), "validator");
        let gosig = binding(1, "v").with("gosig".parse().unwrap());
        assert_eq!(mismatch(&gosig), "protocol");
        let other = dir.path().join("gosig");
        claim(&other, &gosig).unwrap();
        claim(&other, &gosig).unwrap();
        let error = claim(&other, &binding(1, "v")).unwrap_err().to_string();
        assert!(error.contains("protocol") && error.contains("got gosig"), "{error}");
        fs::write(path.join(FILE), "quorate-store 9\n").unwrap();
        assert_eq!(mismatch(&binding(1, "v")), "format");
        fs::write(path.join(FILE), "quorate-store 1\nchain\n").unwrap();
        assert_eq!(claim(&path, &binding(1, "v")).unwrap_err().code(), "CORRUPT");
        fs::remove_file(path.join(FILE)).unwrap();
        fs::create_dir(path.join(RECORDS_DIRECTORY)).unwrap();
        assert_eq!(claim(&path, &binding(1, "v")).unwrap_err().code(), "CORRUPT");
    }

    #[test]
    fn a_start_waits_for_an_inspection() {
        let dir = tempfile::tempdir().unwrap();
        drop(claim(dir.path(), &binding(1, "v")).unwrap());
        let inspected = File::open(dir.path().join("LOCK")).unwrap();
        inspected.try_lock_shared().unwrap();
        thread::scope(|scope| {
            let start = scope.spawn(|| claim(dir.path(), &binding(1, "v")).map(drop));
            thread::sleep(LOCK_PAUSE * 2);
            assert!(!start.is_finished());
            inspected.unlock().unwrap();
            start.join().unwrap().unwrap();
        });
        // A node keeps the lock.
        let _node = claim(dir.path(), &binding(1, "v")).unwrap();
        assert_eq!(claim(dir.path(), &binding(1, "v")).unwrap_err().code(), "DATA_IN_USE");
    }

    #[test]
    fn a_first_start_must_be_named_as_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let code = |new_validator| check_first_start(&path, new_validator).err().map(|e| e.code());
        assert_eq!((code(false), code(true)), (Some("EMPTY_DATA"), None));
        // The mount point of a disk that is not mounted.
        fs::create_dir(&path).unwrap();
        assert_eq!((code(false), code(true)), (Some("EMPTY_DATA"), None));
        drop(claim(&path, &binding(1, "v")).unwrap());
        assert_eq!((code(false), code(true)), (None, Some("DATA_EXISTS")));
        fs::create_dir(path.join(RECORDS_DIRECTORY)).unwrap();
        fs::remove_file(path.join(FILE)).unwrap();
        assert_eq!(
            (code(false), code(true)),
            (None, Some("DATA_EXISTS")),
            "claiming reports what is missing"
        );
    }

    #[test]
    fn a_joined_directory_has_no_records_at_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        drop(claim(&path, &binding(1, "v")).unwrap());
        fs::create_dir(path.join(RECORDS_DIRECTORY)).unwrap();
        mark_joined(&path).unwrap();
        let code = |new_validator| check_first_start(&path, new_validator).err().map(|error| error.code());
        assert!(is_joined(&path));
        assert_eq!((code(false), code(true)), (Some("EMPTY_DATA"), None));
        end_first_start(&path).unwrap();
        end_first_start(&path).unwrap();
        assert!(!is_joined(&path));
        assert_eq!((code(false), code(true)), (None, Some("DATA_EXISTS")));
    }

    #[test]
    fn a_directory_without_its_records_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        // A crash of the first start may leave only this.
        drop(claim(dir.path(), &binding(1, "v")).unwrap());
        fs::create_dir(dir.path().join("state")).unwrap();
        let error = claim(dir.path(), &binding(1, "v")).unwrap_err();
        assert_eq!(error.code(), "CORRUPT");
        assert!(error.to_string().contains("has state but no records"), "{error}");
        fs::create_dir(dir.path().join(RECORDS_DIRECTORY)).unwrap();
        claim(dir.path(), &binding(1, "v")).unwrap();
    }
}
