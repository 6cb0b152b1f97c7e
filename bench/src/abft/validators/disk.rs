//! Durable writes, as measured on this machine's disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use std::{env, process, thread};

use rand::RngExt;
use rand::rngs::StdRng;

use super::super::simulation::thread_time;
use crate::queue::Nanos;

/// Numbers of files that are written at once.
const AT_ONCE: [usize; 4] = [1, 4, 7, 16];
/// Number of writes to each file.
const WRITES: usize = 40;
/// Bytes of a write: a few records.
const BYTES: usize = 1000;

/// Durations of durable writes.
pub(super) struct Disk {
    /// By the number of files that were written at once, ascending.
    durations: Vec<(usize, Vec<Nanos>)>,
    /// Processor time of a write.
    pub(super) processor: Nanos,
}

impl Disk {
    /// Appends to files in the directory in which testnets keep their data, and waits until each write is durable.
    pub(super) fn measure() -> Result<Self, String> {
        static MEASURED: AtomicU32 = AtomicU32::new(0);
        let number = MEASURED.fetch_add(1, Ordering::Relaxed);
        let directory = env::temp_dir().join(format!("quorate-bench-{}-{number}", process::id()));
        let measured = fs::create_dir(&directory).and_then(|()| Self::measure_in(&directory));
        // It may not exist.
        let _ = fs::remove_dir_all(&directory);
        measured.map_err(|e| format!("cannot measure the disk in {}: {e}", directory.display()))
    }

    fn measure_in(directory: &Path) -> io::Result<Self> {
        let (mut durations, mut processor) = (Vec::new(), Vec::new());
        for files in AT_ONCE {
            let start = Barrier::new(files);
            let written: Vec<_> = thread::scope(|scope| {
                let write = |file: usize| {
                    let (path, start) = (directory.join(file.to_string()), &start);
                    scope.spawn(move || append(&path, start))
                };
                let threads: Vec<_> = (0..files).map(write).collect();
                let panicked = || io::Error::other("a thread panicked");
                threads.into_iter().map(|thread| thread.join().map_err(|_| panicked())?).collect()
            });
            let mut all = Vec::new();
            for written in written {
                for (duration, work) in written? {
                    all.push(duration);
                    processor.push(work);
                }
            }
            durations.push((files, all));
        }
        processor.sort_unstable();
        let processor = processor.get(processor.len() / 2).copied().unwrap_or_default();
        Ok(Self { durations, processor })
    }

    /// Draws the duration of a write while `writing` files are written, this one included.
    pub(super) fn draw(&self, writing: usize, rng: &mut StdRng) -> Nanos {
        let fitting = self.durations.iter().find(|(files, _)| *files >= writing).or(self.durations.last());
        let Some((_, durations)) = fitting else { return 0 };
        durations.get(rng.random_range(0..durations.len().max(1))).copied().unwrap_or_default()
    }

    /// The median duration of a write to one file alone, and to as many as possible at once.
    pub(super) fn medians(&self) -> [Nanos; 2] {
        let median = |(_, durations): &(usize, Vec<Nanos>)| {
            let mut durations = durations.clone();
            durations.sort_unstable();
            durations.get(durations.len() / 2).copied().unwrap_or_default()
        };
        [self.durations.first(), self.durations.last()].map(|some| some.map_or(0, median))
    }
}

/// The durations of writes to one file, with their processor times.
fn append(path: &Path, start: &Barrier) -> io::Result<Vec<(Nanos, Nanos)>> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    // Before an error is returned, since the other threads wait.
    start.wait();
    let mut file = file?;
    let write = |_| {
        let (began, work) = (Instant::now(), thread_time());
        file.write_all(&[1; BYTES])?;
        file.sync_data()?;
        Ok((began.elapsed().as_nanos() as Nanos, thread_time().saturating_sub(work)))
    };
    (0..WRITES).map(write).collect()
}
