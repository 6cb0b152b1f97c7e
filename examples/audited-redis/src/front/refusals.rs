//! What was refused, one JSON object per line, in a file of bounded size: a flood of refusals is counted, not kept.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde::Serialize;

use super::clients::Refusal;
use crate::failure::{Doing, Failure};
use crate::lock;

/// The record.
pub(super) struct Refusals {
    sender: Mutex<Option<SyncSender<Box<Record>>>>,
    suppressed: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
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
    bytes: String,
    /// Whether there were more.
    cut: bool,
    /// How many refusals before this one were not recorded.
    suppressed: u64,
}

/// The file's largest size; then it becomes the old one.
const MAX_FILE: u64 = 64 << 20;
/// How much of what was refused is kept: a signature and a short command.
const MAX_BYTES: usize = 6144;
const WAITING: usize = 1024;

impl Refusals {
    /// Opens the file and starts the thread that writes it.
    pub(super) fn start(path: &Path) -> Result<Arc<Self>, Failure> {
        let file = open(path).doing(path.display())?;
        let (sender, receiver) = sync_channel(WAITING);
        let path = path.to_owned();
        let thread = std::thread::Builder::new()
            .name("refusals".into())
            .spawn(move || write(&receiver, file, &path))
            .doing("starting a thread")?;
        let (sender, thread) = (Mutex::new(Some(sender)), Mutex::new(Some(thread)));
        Ok(Arc::new(Self { sender, suppressed: Arc::default(), thread }))
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
        let kept = refused.get(..MAX_BYTES).unwrap_or(refused);
        let record = Record {
            time: crate::now().0,
            peer,
            client,
            code: refusal.code,
            message: refusal.message.clone(),
            sequence,
            bytes: hex::encode(kept),
            cut: kept.len() < refused.len(),
            suppressed: self.suppressed.swap(0, Ordering::SeqCst),
        };
        let counted = record.suppressed + 1;
        let sent =
            lock(&self.sender).as_ref().is_some_and(|sender| sender.try_send(Box::new(record)).is_ok());
        if !sent {
            self.suppressed.fetch_add(counted, Ordering::SeqCst);
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

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn write(records: &Receiver<Box<Record>>, mut file: File, path: &Path) {
    let mut size = file.metadata().map_or(0, |metadata| metadata.len());
    for record in records {
        let Ok(mut line) = serde_json::to_vec(&record) else { continue };
        line.push(b'\n');
        // A disk that is full of refusals must not stop what is not refused.
        if file.write_all(&line).is_ok() {
            size += line.len() as u64;
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
