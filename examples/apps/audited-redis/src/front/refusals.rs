//! What was refused, one JSON object per line, in a file of bounded size: a flood of refusals is counted, not kept.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde::{Serialize, Serializer};

use super::clients::Refusal;
use crate::failure::{Exit, Failure, OrFail};
use crate::lock;

/// The record.
pub(super) struct Refusals {
    sender: Mutex<Option<SyncSender<Box<Record>>>>,
    counts: Arc<Counts>,
    strangers: Mutex<Allowance>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Counts {
    /// Refusals that were not recorded.
    suppressed: AtomicU64,
    /// Bytes of refused commands that wait to be written.
    waiting: AtomicU64,
}

#[derive(Serialize)]
struct Record {
    /// Microseconds of our clock.
    time: u64,
    peer: SocketAddr,
    /// The client, if it proved who it is; otherwise the key that was named, if any.
    client: Option<String>,
    code: &'static str,
    message: String,
    sequence: u64,
    /// What was refused, in hexadecimal; with a key that signed twice it is evidence, beside the log's entry.
    #[serde(serialize_with = "in_hexadecimal")]
    bytes: Vec<u8>,
    /// Whether there were more.
    cut: bool,
    /// How many refusals before this one were not recorded.
    suppressed: u64,
}

/// The file's largest size; then it becomes the old one.
const MAX_FILE: u64 = 64 << 20;
/// How much of what was refused is kept, where it is no evidence: a signature and a short command.
const MAX_BYTES: usize = 6144;
const WAITING: usize = 1024;
/// How many bytes may wait, for evidence is kept whole.
const WAITING_BYTES: u64 = 32 << 20;

/// How much strangers may write: their refusals must not push out those of clients.
struct Allowance {
    left: u32,
    /// When the last one was added, in microseconds.
    since: u64,
}

impl Allowance {
    /// So many at once,
    const BURST: u32 = 64;
    /// and one more in so many microseconds.
    const INTERVAL: u64 = 250_000;

    fn take(&mut self, now: u64) -> bool {
        // A clock that was set back.
        self.since = self.since.min(now);
        let more = (now - self.since) / Self::INTERVAL;
        self.since += more * Self::INTERVAL;
        self.left = self.left.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)).min(Self::BURST);
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}

impl Refusals {
    /// Opens the file and starts the thread that writes it.
    pub(super) fn start(path: &Path) -> Result<Arc<Self>, Failure> {
        let file = open(path).or_fail(Exit::Failed, path.display())?;
        let (sender, receiver) = sync_channel(WAITING);
        let (path, counts) = (path.to_owned(), Arc::new(Counts::default()));
        let of_thread = counts.clone();
        let thread = std::thread::Builder::new()
            .name("refusals".into())
            .spawn(move || write(&receiver, file, &path, &of_thread))
            .or_fail(Exit::Failed, "starting a thread")?;
        let (sender, thread) = (Mutex::new(Some(sender)), Mutex::new(Some(thread)));
        let strangers = Mutex::new(Allowance { left: Allowance::BURST, since: 0 });
        Ok(Arc::new(Self { sender, counts, strangers, thread }))
    }

    /// Records a refusal of who is no client, or counts it: of these there are only so many per time.
    pub(super) fn record_stranger(
        &self,
        peer: SocketAddr,
        named: Option<String>,
        refusal: &Refusal,
        refused: &[u8],
    ) {
        if lock(&self.strangers).take(crate::now().0) {
            self.record(peer, named, refusal, 0, refused);
        } else {
            self.counts.suppressed.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Records a refusal, or counts it if too many wait.
    pub(super) fn record(
        &self,
        peer: SocketAddr,
        client: Option<String>,
        refusal: &Refusal,
        sequence: u64,
        refused: &[u8],
    ) {
        let is_evidence = refusal.code == "KEY_REUSE";
        let kept = if is_evidence { refused } else { refused.get(..MAX_BYTES).unwrap_or(refused) };
        let bytes = kept.len() as u64;
        if self.counts.waiting.fetch_add(bytes, Ordering::SeqCst) + bytes > WAITING_BYTES {
            self.counts.waiting.fetch_sub(bytes, Ordering::SeqCst);
            self.counts.suppressed.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let record = Record {
            time: crate::now().0,
            peer,
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

    /// Writes what waits, and ends.
    pub(super) fn stop(&self) {
        drop(lock(&self.sender).take());
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

fn in_hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn write(records: &Receiver<Box<Record>>, mut file: File, path: &Path, counts: &Counts) {
    let mut size = file.metadata().map_or(0, |metadata| metadata.len());
    for record in records {
        counts.waiting.fetch_sub(record.bytes.len() as u64, Ordering::SeqCst);
        let Ok(mut line) = serde_json::to_vec(&record) else { continue };
        line.push(b'\n');
        // A disk that is full of refusals must not stop what is not refused. What was written of a line goes.
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

    fn peer() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 1))
    }

    fn recorded(work: impl FnOnce(&Refusals)) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refusals");
        let refusals = Refusals::start(&path).unwrap();
        work(&refusals);
        refusals.stop();
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn evidence_is_kept_whole_and_the_rest_is_cut() {
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
    fn strangers_do_not_push_out_clients() {
        let lines = recorded(|refusals| {
            for _ in 0..5000 {
                refusals.record_stranger(peer(), None, &Refusal::new("UNSIGNED", ""), b"GET / HT");
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
            let record = Record {
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
        // Linux' file that is always full.
        let (full, counts) = (Path::new("/dev/full"), Counts::default());
        write(&receiver, open(full).unwrap(), full, &counts);
        assert_eq!(counts.suppressed.load(Ordering::SeqCst), 12);
    }
}
