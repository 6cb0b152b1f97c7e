//! Record of refusals: one JSON object per line, in a file of bounded size. A flood of refusals is counted, not
//! recorded.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde::{Serialize, Serializer};

use crate::failure::{Exit, Failure, OrFail};

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Stable code.
    pub code: &'static str,
    /// Description for people, of one line.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Writer of the record.
pub struct RefusalLog {
    sender: Mutex<Option<SyncSender<Box<RefusalRecord>>>>,
    counts: Arc<Counts>,
    unauthenticated: Mutex<RateLimiter>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Counts {
    /// Number of refusals that were not recorded.
    suppressed: AtomicU64,
    /// Number of bytes of refused commands that wait to be written.
    waiting: AtomicU64,
}

#[derive(Serialize)]
struct RefusalRecord {
    /// Time in microseconds by the server's clock.
    time: u64,
    peer: String,
    /// Name of the authenticated client; otherwise the claimed key, if any.
    client: Option<String>,
    code: &'static str,
    message: String,
    sequence: u64,
    /// The refused bytes, in hexadecimal. For a reused one-time key they are evidence, together with the log's entry.
    #[serde(serialize_with = "in_hexadecimal")]
    bytes: Vec<u8>,
    /// True if the bytes were truncated.
    cut: bool,
    /// Number of refusals before this one that were not recorded.
    suppressed: u64,
}

/// Maximum size of the file. A larger one is renamed to the old file.
const MAX_FILE: u64 = 64 << 20;
/// Maximum number of recorded bytes of a refusal that is not evidence: a signature and a short command.
const MAX_BYTES: usize = 6144;
const MAX_WAITING: usize = 1024;
/// Maximum number of bytes that wait, because evidence is recorded completely.
const MAX_WAITING_BYTES: u64 = 32 << 20;

/// Rate limit for refusals of unauthenticated peers, which must not displace those of clients.
struct RateLimiter {
    left: u32,
    /// Time of the last refill, in microseconds.
    since: u64,
}

impl RateLimiter {
    /// Size of a burst.
    const BURST: u32 = 64;
    /// Microseconds per refill.
    const INTERVAL: u64 = 250_000;

    fn take(&mut self, now: u64) -> bool {
        // The clock may have been set back.
        self.since = self.since.min(now);
        let more = (now - self.since) / Self::INTERVAL;
        self.since += more * Self::INTERVAL;
        self.left = self.left.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)).min(Self::BURST);
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}

impl RefusalLog {
    /// Opens the file and starts the thread that writes it.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn start(path: &Path) -> Result<Arc<Self>, Failure> {
        let file = open(path).or_fail(Exit::Failed, path.display())?;
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let (path, counts) = (path.to_owned(), Arc::new(Counts::default()));
        let of_thread = counts.clone();
        let thread = std::thread::Builder::new()
            .name("refusals".into())
            .spawn(move || write(&receiver, file, &path, &of_thread))
            .or_fail(Exit::Failed, "starting a thread")?;
        let (sender, thread) = (Mutex::new(Some(sender)), Mutex::new(Some(thread)));
        let unauthenticated = Mutex::new(RateLimiter { left: RateLimiter::BURST, since: 0 });
        Ok(Arc::new(Self { sender, counts, unauthenticated, thread }))
    }

    /// Records a refusal of an unauthenticated peer, or counts it above the rate limit.
    pub fn record_unauthenticated(
        &self,
        peer: impl Display,
        named: Option<String>,
        refusal: &Refusal,
        refused: &[u8],
    ) {
        if lock(&self.unauthenticated).take(crate::now().0) {
            self.record(peer, named, refusal, 0, refused);
        } else {
            self.counts.suppressed.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Records a refusal, or counts it if too many wait.
    pub fn record(
        &self,
        peer: impl Display,
        client: Option<String>,
        refusal: &Refusal,
        sequence: u64,
        refused: &[u8],
    ) {
        let is_evidence = refusal.code == "KEY_REUSE";
        let kept = if is_evidence { refused } else { refused.get(..MAX_BYTES).unwrap_or(refused) };
        let bytes = kept.len() as u64;
        if self.counts.waiting.fetch_add(bytes, Ordering::SeqCst) + bytes > MAX_WAITING_BYTES {
            self.counts.waiting.fetch_sub(bytes, Ordering::SeqCst);
            self.counts.suppressed.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let record = RefusalRecord {
            time: crate::now().0,
            peer: peer.to_string(),
            client,
            code: refusal.code,
            message: refusal.message.clone(),
            sequence,
            bytes: kept.to_vec(),
            cut: kept.len() < refused.len(),
            suppressed: self.counts.suppressed.swap(0, Ordering::SeqCst),
        };
        let counted = record.suppressed + 1;
        let sent =
            lock(&self.sender).as_ref().is_some_and(|sender| sender.try_send(Box::new(record)).is_ok());
        if !sent {
            self.counts.waiting.fetch_sub(bytes, Ordering::SeqCst);
            self.counts.suppressed.fetch_add(counted, Ordering::SeqCst);
        }
    }

    /// Writes the waiting records and stops the thread.
    pub fn stop(&self) {
        drop(lock(&self.sender).take());
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn in_hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn write(records: &Receiver<Box<RefusalRecord>>, mut file: File, path: &Path, counts: &Counts) {
    let mut size = file.metadata().map_or(0, |metadata| metadata.len());
    for record in records {
        counts.waiting.fetch_sub(record.bytes.len() as u64, Ordering::SeqCst);
        let Ok(mut line) = serde_json::to_vec(&record) else { continue };
        line.push(b'\n');
        // A full disk must not stop accepted commands. A partially written line is removed.
        if file.write_all(&line).is_ok() {
            size += line.len() as u64;
        } else {
            let _ = file.set_len(size);
            counts.suppressed.fetch_add(record.suppressed + 1, Ordering::SeqCst);
        }
        if size > MAX_FILE {
            let mut old = path.as_os_str().to_owned();
            old.push(".old");
            let _ = std::fs::rename(path, PathBuf::from(old));
            if let Ok(new) = open(path) {
                (file, size) = (new, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn peer() -> String {
        "127.0.0.1:1".to_owned()
    }

    fn recorded(work: impl FnOnce(&RefusalLog)) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refusals");
        let refusals = RefusalLog::start(&path).unwrap();
        work(&refusals);
        refusals.stop();
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn evidence_is_complete_and_other_bytes_are_truncated() {
        let bytes = vec![7; 3 * MAX_BYTES];
        let lines = recorded(|refusals| {
            for code in ["FORGED", "KEY_REUSE"] {
                refusals.record(peer(), None, &Refusal::new(code, ""), 1, &bytes);
            }
        });
        let lengths: Vec<_> = lines.iter().map(|line| line["bytes"].as_str().unwrap().len()).collect();
        assert_eq!(lengths, [2 * MAX_BYTES, 2 * bytes.len()]);
        assert!(lines[0]["cut"] == true && lines[1]["cut"] == false);
    }

    #[test]
    fn unauthenticated_peers_do_not_displace_clients() {
        let lines = recorded(|refusals| {
            for _ in 0..5000 {
                refusals.record_unauthenticated(peer(), None, &Refusal::new("UNSIGNED", ""), b"GET / HT");
            }
            refusals.record(peer(), Some("alice".into()), &Refusal::new("FORGED", ""), 1, b"x");
        });
        assert!((64..500).contains(&lines.len()), "{}", lines.len());
        let last = lines.last().unwrap();
        assert_eq!((&last["client"], lines.len() as u64), (&"alice".into(), 5001 - sum(&lines)));
    }

    fn sum(lines: &[Value]) -> u64 {
        lines.iter().map(|line| line["suppressed"].as_u64().unwrap()).sum()
    }

    #[test]
    fn what_could_not_be_written_is_counted() {
        let (sender, receiver) = sync_channel(2);
        for sequence in 1..=2 {
            let record = RefusalRecord {
                time: 0,
                peer: peer(),
                client: None,
                code: "STALE",
                message: String::new(),
                sequence,
                bytes: Vec::new(),
                cut: false,
                suppressed: 5,
            };
            sender.send(Box::new(record)).unwrap();
        }
        drop(sender);
        // On Linux, /dev/full is always full.
        let (full, counts) = (Path::new("/dev/full"), Counts::default());
        write(&receiver, open(full).unwrap(), full, &counts);
        assert_eq!(counts.suppressed.load(Ordering::SeqCst), 12);
    }
}
