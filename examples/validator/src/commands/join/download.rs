//! Fetches the blocks and the parts of a snapshot, and checks and writes each when it arrives.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quorate::wire::Decode;
use quorate_node::application::MAX_PART_BYTES;
use quorate_node::handle::Digest;
use quorate_node::protocol::Protocol;
use quorate_node::snapshot::{MAX_PIECE_BYTES, SnapshotBlock, VerifiedHead};
use quorate_node::store::Joining;
use quorate_support::errln;
use tokio::task::JoinSet;

use super::server::{Offer, Server, no_snapshot};
use crate::api::{Api, PieceError};
use crate::commands::run::cannot_run;
use crate::exit::{Exit, Failure};

/// Number of parts that a server is asked for at once.
const AT_ONCE: usize = 2;
/// Number of times that a server may fail to answer, in a row.
const ATTEMPTS: usize = 3;
/// Number of times that a server may be busy, in a row.
const WAITS: usize = 120;
/// Pause before a server that failed is asked again.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// A download.
pub(super) struct Download<P: Protocol> {
    pub(super) offer: Offer<P>,
    pub(super) joining: Arc<Joining<P>>,
}

/// A complete download.
pub(super) struct Downloaded {
    pub(super) height: u64,
    pub(super) state_root: Digest,
    pub(super) blocks: u64,
    pub(super) parts: u32,
    /// Number of bytes that this process received.
    pub(super) bytes: u64,
    /// The servers, each with the reason why it was not asked any more.
    pub(super) servers: Vec<(String, Option<String>)>,
}

/// State that the fetching tasks share.
struct Shared<P: Protocol> {
    head: Arc<VerifiedHead>,
    joining: Arc<Joining<P>>,
    pending: Mutex<Pending>,
    progress: Mutex<Progress>,
}

/// The parts to fetch, a run of consecutive ones for each server: the first of some parts costs a server a pass over its state.
struct Pending {
    runs: Vec<VecDeque<u32>>,
}

impl Pending {
    /// Divides parts among servers.
    fn divide(parts: Vec<u32>, servers: usize) -> Self {
        let length = parts.len().div_ceil(servers.max(1)).max(1);
        Self { runs: parts.chunks(length).map(|run| run.iter().copied().collect()).collect() }
    }

    /// The next part for a server. One whose own run is fetched takes the last part of the longest run.
    fn next(&mut self, server: usize) -> Option<u32> {
        let own = self.runs.get_mut(server).and_then(VecDeque::pop_front);
        own.or_else(|| self.runs.iter_mut().max_by_key(|run| run.len()).and_then(VecDeque::pop_back))
    }
}

struct Progress {
    parts: usize,
    of: u32,
    bytes: u64,
    shown: Instant,
}

/// End of a task.
enum End {
    /// Nothing is left to fetch.
    Done,
    /// The server must not be asked any more.
    Excluded(usize, PieceError),
    /// The disk failed.
    Failed(Failure),
}

impl<P: Protocol> Download<P> {
    /// Fetches all pieces. Returns `None` if the servers have released the snapshot.
    pub(super) async fn run(self, servers: &mut [Server]) -> Result<Option<(Downloaded, Self)>, Failure> {
        let (head, mut bytes) = (self.offer.head.clone(), 0);
        let target = head.target();
        while let Some(height) = self.joining.next_block().map_err(cannot_run)? {
            match self.block(servers, height).await? {
                Some(length) => bytes += length,
                None => return left(servers),
            }
        }
        let of = head.outline().parts();
        loop {
            let present = self.joining.parts().map_err(cannot_run)?;
            let missing: Vec<u32> = (0..of).filter(|part| !present.contains(part)).collect();
            if missing.is_empty() {
                break;
            }
            if !servers.iter().any(|server| server.offers) {
                return left(servers);
            }
            let progress = Progress { parts: present.len(), of, bytes: 0, shown: Instant::now() };
            bytes += self.parts(servers, missing, progress).await?;
        }
        let done = Downloaded {
            height: target.height,
            state_root: head.state_root(),
            blocks: target.height + 1 - target.first_block,
            parts: of,
            bytes,
            servers: servers
                .iter()
                .map(|server| (server.api.address().to_owned(), server.problem.clone()))
                .collect(),
        };
        Ok(Some((done, self)))
    }

    /// Fetches a block from the first server that has it. Returns its length; `None` if no server is left.
    async fn block(&self, servers: &mut [Server], height: u64) -> Result<Option<u64>, Failure> {
        let path = format!("/v1/snapshot/{}/blocks/{height}", self.offer.head.target().height);
        for server in servers.iter_mut().filter(|server| server.offers) {
            let bytes = match fetch(&server.api, &path, MAX_PIECE_BYTES).await {
                Ok(bytes) => bytes,
                Err(error) => {
                    server.exclude(&error);
                    continue;
                }
            };
            let (head, joining, context) =
                (self.offer.head.clone(), self.joining.clone(), self.offer.context.clone());
            let length = bytes.len() as u64;
            let add = move || add_block(&joining, &head, &context, height, &bytes);
            match blocking(add).await? {
                Ok(()) => return Ok(Some(length)),
                Err(error) => server.exclude(&PieceError::Wrong(format!("block {height}: {error}"))),
            }
        }
        Ok(None)
    }

    /// Fetches parts from all servers. Some are missing afterwards if a server had to be excluded. Returns the number of bytes.
    async fn parts(
        &self,
        servers: &mut [Server],
        missing: Vec<u32>,
        progress: Progress,
    ) -> Result<u64, Failure> {
        let offering = servers.iter().filter(|server| server.offers).count();
        let shared = Arc::new(Shared {
            head: self.offer.head.clone(),
            joining: self.joining.clone(),
            pending: Mutex::new(Pending::divide(missing, offering)),
            progress: Mutex::new(progress),
        });
        let mut tasks = JoinSet::new();
        let offers = servers.iter().enumerate().filter(|(_, server)| server.offers);
        for (run, (index, server)) in offers.enumerate() {
            for _ in 0..AT_ONCE {
                let (shared, api) = (shared.clone(), server.api.clone());
                tasks.spawn(async move { shared.work(run, index, &api).await });
            }
        }
        let mut failed = None;
        while let Some(end) = tasks.join_next().await {
            match end {
                Ok(End::Done) => {}
                Ok(End::Excluded(index, error)) => {
                    if let Some(server) = servers.get_mut(index).filter(|server| server.offers) {
                        server.exclude(&error);
                    }
                }
                Ok(End::Failed(failure)) => failed = Some(failure),
                Err(error) => failed = Some(Failure::new(Exit::Failed, error.to_string())),
            }
        }
        match failed {
            Some(failure) => Err(failure),
            None => Ok(shared.progress.lock().unwrap_or_else(PoisonError::into_inner).bytes),
        }
    }
}

impl<P: Protocol> Shared<P> {
    async fn work(self: Arc<Self>, run: usize, server: usize, api: &Api) -> End {
        loop {
            let next = self.pending.lock().unwrap_or_else(PoisonError::into_inner).next(run);
            let Some(part) = next else { return End::Done };
            let path = format!("/v1/snapshot/{}/parts/{part}", self.head.target().height);
            // A part that this server does not deliver is missing until the next round.
            let bytes = match fetch(api, &path, MAX_PART_BYTES).await {
                Ok(bytes) => bytes,
                Err(error) => return End::Excluded(server, error),
            };
            let (shared, length) = (self.clone(), bytes.len() as u64);
            let add = move || match shared.head.outline().check(part, &bytes) {
                Ok(entries) => shared.joining.add_part(part, entries).map(Ok).map_err(cannot_run),
                Err(error) => Ok(Err(error)),
            };
            match blocking(add).await {
                Ok(Ok(())) => self.show(length),
                Ok(Err(error)) => {
                    return End::Excluded(server, PieceError::Wrong(format!("part {part}: {error}")));
                }
                Err(failure) => return End::Failed(failure),
            }
        }
    }

    fn show(&self, length: u64) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.parts += 1;
        progress.bytes += length;
        if progress.shown.elapsed() > PROGRESS {
            errln!("{} of {} parts of the state", progress.parts, progress.of);
            progress.shown = Instant::now();
        }
    }
}

/// Checks a block and writes it. The outer error is that of the disk.
fn add_block<P: Protocol>(
    joining: &Joining<P>,
    head: &VerifiedHead,
    context: &P::Context,
    height: u64,
    bytes: &[u8],
) -> Result<quorate::Result<()>, Failure> {
    let below = match height.checked_sub(1) {
        Some(below) => joining.block_at(below).map_err(cannot_run)?,
        None => None,
    };
    let record = match &below {
        Some(_) => joining.record_at(height - 1).map_err(cannot_run)?,
        None => None,
    };
    let verified = SnapshotBlock::<P>::decode(bytes, context).and_then(|block| {
        let previous = below.as_ref().map(|below| (&**below, record.as_ref()));
        let record = block.verify(context, head, height, previous)?;
        Ok((block, record))
    });
    match verified {
        Ok((block, record)) => joining
            .add_block(&block.block, &block.batches, &block.finality, record)
            .map(Ok)
            .map_err(cannot_run),
        Err(error) => Ok(Err(error)),
    }
}

/// Fetches a piece, and tries again if the server does not answer.
async fn fetch(api: &Api, path: &str, cap: usize) -> Result<Vec<u8>, PieceError> {
    let (mut attempts, mut waits) = (0, 0);
    loop {
        match api.piece(path, cap).await {
            Err(PieceError::Failed(_)) if attempts + 1 < ATTEMPTS => attempts += 1,
            Err(PieceError::Preparing) if waits < WAITS => waits += 1,
            Err(PieceError::Missing) => {
                return Err(PieceError::Wrong("it lacks a piece of the snapshot that it offers".into()));
            }
            answer => return answer.map(|bytes| bytes.to_vec()),
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}

/// Runs work that waits for the disk.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?
}

/// No server offers the snapshot any more: `None` if one may have a newer one.
fn left<T>(servers: &[Server]) -> Result<Option<T>, Failure> {
    match servers.iter().any(|server| server.problem.is_none()) {
        true => Ok(None),
        false => Err(no_snapshot(servers, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_gets_a_run_and_takes_from_the_longest() {
        let mut pending = Pending::divide((0..7).collect(), 2);
        assert_eq!([0, 0, 1].map(|server| pending.next(server)), [Some(0), Some(1), Some(4)]);
        assert_eq!([1, 1, 1].map(|server| pending.next(server)), [Some(5), Some(6), Some(3)]);
        assert_eq!([1, 0].map(|server| pending.next(server)), [Some(2), None]);
        let mut few = Pending::divide(vec![9], 3);
        assert_eq!([2, 0].map(|server| few.next(server)), [Some(9), None]);
        assert_eq!(Pending::divide(Vec::new(), 3).next(0), None);
    }
}
