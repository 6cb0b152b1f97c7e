use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use quorate::wire::Writer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::time::{Instant, sleep_until, timeout};

use super::context::Context;
use super::open::OpenTransactions;
use super::protocol::{Event, PREAMBLE};
use crate::client::code::Code;
use crate::client::listen::{Stopping, stopped};
use crate::handle::{CommitEvent, Handle, Refusal};

/// Maximum number of open transactions of a connection: reading pauses above it.
const WINDOW: u64 = 1 << 16;
/// Minimum and maximum size of a read. A connection starts with the minimum.
const READ_CHUNK: std::ops::RangeInclusive<usize> = (16 << 10)..=(256 << 10);
/// Maximum number of frames that are handled at once. Other clients have a turn before the next ones: a chunk may contain
/// tens of thousands of short frames.
const FRAMES_PER_TURN: usize = 1024;
/// Number of bytes of unsent events above which reading pauses.
const EVENTS_HIGH: usize = 64 << 10;
/// Timeout for the preamble.
const PREAMBLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for a client that does not read its events.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of an idle connection without open transactions.
const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
/// Pause before transactions are submitted again while the validator catches up.
const SYNC_PAUSE: Duration = Duration::from_millis(50);
/// Timeout for the last event of a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Stream of one client.
pub(super) struct Connection<'a> {
    context: &'a Context,
    stopping: Stopping,
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    input: BytesMut,
    /// True if the input may contain complete frames.
    has_frames: bool,
    chunk: usize,
    /// Unsent events.
    output: BytesMut,
    /// True if the client has closed its sending side.
    ended: bool,
    /// Sequence number of the next transaction.
    next: u64,
    /// Transactions that the mempool has refused for the moment.
    waiting: VecDeque<(u64, Bytes)>,
    retry_at: Instant,
    open: OpenTransactions,
    /// Time of the last progress of the output.
    moved_at: Instant,
}

/// Reason why a connection ends.
enum End {
    /// The client has disconnected.
    Gone,
    /// The validator closes the connection with this code.
    Closing(Code),
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        End::Gone
    }
}

impl<'a> Connection<'a> {
    pub(super) fn new(stream: TcpStream, context: &'a Context, stopping: Stopping) -> Self {
        let (reader, writer) = stream.into_split();
        let now = Instant::now();
        Self {
            context,
            stopping,
            reader,
            writer,
            input: BytesMut::new(),
            has_frames: false,
            chunk: *READ_CHUNK.start(),
            output: BytesMut::new(),
            ended: false,
            next: 0,
            waiting: VecDeque::new(),
            retry_at: now,
            open: OpenTransactions::default(),
            moved_at: now,
        }
    }

    /// Serves the client until it disconnects, violates the protocol, or the node stops.
    pub(super) async fn run(mut self) -> Result<(), Code> {
        let served = match timeout(PREAMBLE_TIMEOUT, self.read_preamble()).await {
            Ok(Ok(())) => self.serve_events().await,
            Ok(Err(end)) => end,
            Err(_) => End::Closing(Code::Timeout),
        };
        let End::Closing(code) = served else { return Ok(()) };
        self.send(Event::Closing { code: code.number() });
        let _ = timeout(CLOSE_TIMEOUT, async {
            self.writer.write_all(&self.output).await?;
            self.writer.shutdown().await
        })
        .await;
        Err(code)
    }

    async fn read_preamble(&mut self) -> Result<(), End> {
        let mut preamble = [0; PREAMBLE.len()];
        self.reader.read_exact(&mut preamble).await?;
        if preamble != PREAMBLE {
            return Err(End::Closing(Code::BadPreamble));
        }
        self.send(Event::Welcome {
            chain: self.context.chain,
            window: WINDOW as u32,
            max_transaction: u32::try_from(self.context.max_transaction).unwrap_or(u32::MAX),
        });
        Ok(())
    }

    async fn serve_events(&mut self) -> End {
        let (mut commits, mut repeats) = (self.context.handle.commits(), self.context.handle.repeats());
        loop {
            if let Err(end) = self.serve_event(&mut commits, &mut repeats).await {
                return end;
            }
            let is_idle = self.waiting.is_empty() && self.open.is_empty() && self.output.is_empty();
            if self.ended && !self.has_frames && is_idle {
                return End::Gone;
            }
        }
    }

    /// Waits for the next event and handles it.
    async fn serve_event(
        &mut self,
        commits: &mut Receiver<Arc<CommitEvent>>,
        repeats: &mut Receiver<Arc<Vec<u64>>>,
    ) -> Result<(), End> {
        let is_ready = self.waiting.is_empty() && self.open.len() < WINDOW && self.output.len() < EVENTS_HIGH;
        let reading = is_ready && !self.has_frames && !self.ended;
        if reading {
            self.input.reserve(self.chunk);
        }
        let silent = reading && self.open.is_empty() && self.output.is_empty();
        let limit = if silent { IDLE_TIMEOUT } else { READ_TIMEOUT };
        tokio::select! {
            read = self.reader.read_buf(&mut self.input), if reading => {
                self.moved_at = Instant::now();
                self.received(read?);
                self.take_turn()
            }
            () = tokio::task::yield_now(), if is_ready && self.has_frames => self.take_turn(),
            commit = commits.recv() => match commit {
                Ok(commit) => {
                    self.committed(&commit);
                    Ok(())
                }
                Err(error) => Err(missed(&error)),
            },
            repeated = repeats.recv() => match repeated {
                Ok(batches) => {
                    self.repeated(&batches);
                    Ok(())
                }
                Err(error) => Err(missed(&error)),
            },
            written = self.writer.write(&self.output), if !self.output.is_empty() => {
                self.moved_at = Instant::now();
                match written? {
                    0 => Err(End::Gone),
                    n => {
                        self.output.advance(n);
                        Ok(())
                    }
                }
            }
            () = sleep_until(self.retry_at), if !self.waiting.is_empty() => {
                let again = self.waiting.drain(..).collect();
                self.submit(again)
            }
            () = sleep_until(self.moved_at + limit), if silent || !self.output.is_empty() => {
                Err(End::Closing(if silent { Code::Timeout } else { Code::TooSlow }))
            }
            () = stopped(&mut self.stopping) => Err(End::Closing(Code::ShuttingDown)),
        }
    }

    /// Adapts the size of the next read to the size of this one.
    fn received(&mut self, n: usize) {
        self.ended = n == 0;
        let full = n >= self.chunk;
        self.chunk = if full { self.chunk * 2 } else { self.chunk.min(n * 2) };
        self.chunk = self.chunk.clamp(*READ_CHUNK.start(), *READ_CHUNK.end());
    }

    /// Submits some of the complete frames in the input.
    fn take_turn(&mut self) -> Result<(), End> {
        let (transactions, rest) = take_frames(&mut self.input, self.context.max_transaction);
        self.has_frames = transactions.len() == FRAMES_PER_TURN;
        let first = self.next;
        self.next += transactions.len() as u64;
        self.submit((first..).zip(transactions).collect())?;
        rest.map_err(End::Closing)
    }

    /// Submits transactions. Transactions that the node refuses for the moment are kept, and reading pauses until they are
    /// accepted.
    fn submit(&mut self, transactions: Vec<(u64, Bytes)>) -> Result<(), End> {
        if transactions.is_empty() {
            return Ok(());
        }
        let bytes = transactions.iter().map(|(_, transaction)| transaction.clone()).collect();
        let answers = Handle::submit_many(&self.context.handle, bytes);
        let was_empty = self.output.is_empty();
        for ((sequence, transaction), answer) in transactions.into_iter().zip(answers) {
            match answer {
                Ok(ticket) => self.open.add(ticket.batch_sequence, sequence),
                Err(Refusal::Busy { retry_after }) => self.wait(sequence, transaction, retry_after),
                Err(Refusal::Syncing) => self.wait(sequence, transaction, SYNC_PAUSE),
                Err(Refusal::ShuttingDown) => return Err(End::Closing(Code::ShuttingDown)),
                Err(refusal) => {
                    self.send(Event::Refused { sequence, code: Code::from(&refusal).number() });
                }
            }
        }
        let up_to = self.waiting.front().map_or(self.next, |(sequence, _)| *sequence);
        self.send(Event::Accepted { up_to });
        if was_empty {
            self.moved_at = Instant::now();
        }
        Ok(())
    }

    fn wait(&mut self, sequence: u64, transaction: Bytes, pause: Duration) {
        self.retry_at = Instant::now() + pause.clamp(Duration::from_millis(1), Duration::from_secs(1));
        self.waiting.push_back((sequence, transaction));
    }

    fn committed(&mut self, commit: &CommitEvent) {
        for batch in &commit.own_batches {
            for (first, count) in self.open.committed(*batch) {
                if self.output.is_empty() {
                    self.moved_at = Instant::now();
                }
                self.send(Event::Committed { first, count, height: commit.height });
            }
        }
    }

    /// Reports transactions that were committed before they were submitted: no further block contains them.
    fn repeated(&mut self, batches: &[u64]) {
        for (first, count) in batches.iter().flat_map(|batch| self.open.committed(*batch)).collect::<Vec<_>>()
        {
            if self.output.is_empty() {
                self.moved_at = Instant::now();
            }
            for sequence in (first..).take(count as usize) {
                self.send(Event::Refused { sequence, code: Code::Duplicate.number() });
            }
        }
    }

    fn send(&mut self, event: Event) {
        let mut w = Writer::with_capacity(super::protocol::LONGEST_EVENT);
        event.write(&mut w);
        self.output.extend_from_slice(&w.into_bytes());
    }
}

/// Ends the connection after missed events, because some transactions would never be answered.
fn missed(error: &RecvError) -> End {
    End::Closing(match error {
        RecvError::Lagged(_) => Code::TooSlow,
        RecvError::Closed => Code::ShuttingDown,
    })
}

/// Removes complete frames from `input`, at most [`FRAMES_PER_TURN`], without a copy. An empty frame, and one above `limit`,
/// ends the connection.
fn take_frames(input: &mut BytesMut, limit: usize) -> (Vec<Bytes>, Result<(), Code>) {
    let mut frames = Vec::new();
    while frames.len() < FRAMES_PER_TURN {
        let Some(length) = input.first_chunk().map(|length| u32::from_le_bytes(*length) as usize) else {
            return (frames, Ok(()));
        };
        if length == 0 || length > limit {
            return (frames, Err(if length == 0 { Code::Empty } else { Code::TooLarge }));
        }
        if input.len() < 4 + length {
            return (frames, Ok(()));
        }
        input.advance(4);
        frames.push(input.split_to(length).freeze());
    }
    (frames, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_are_found_from_any_cut(
            transactions in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..20), 0..10),
            cut in 1usize..30,
        ) {
            let mut stream = Vec::new();
            for transaction in &transactions {
                stream.extend_from_slice(&(transaction.len() as u32).to_le_bytes());
                stream.extend_from_slice(transaction);
            }
            let mut input = BytesMut::new();
            let mut found = Vec::new();
            for piece in stream.chunks(cut) {
                input.extend_from_slice(piece);
                let (frames, rest) = take_frames(&mut input, 20);
                prop_assert_eq!(rest, Ok(()));
                found.extend(frames);
            }
            prop_assert!(input.is_empty());
            prop_assert_eq!(found, transactions);
        }
    }

    #[test]
    fn a_frame_above_the_limit_ends_the_connection() {
        let mut input = BytesMut::from(&b"\x01\0\0\0a\xff\xff\xff\xff"[..]);
        let (frames, rest) = take_frames(&mut input, 20);
        assert_eq!(frames, [&b"a"[..]]);
        assert_eq!(rest, Err(Code::TooLarge));
    }

    #[test]
    fn an_empty_frame_ends_the_connection() {
        let mut input = BytesMut::from(&b"\x01\0\0\0a\0\0\0\0"[..]);
        let (frames, rest) = take_frames(&mut input, 20);
        assert_eq!((frames, rest), (vec![Bytes::from_static(b"a")], Err(Code::Empty)));
    }

    #[test]
    fn a_turn_takes_a_bounded_number_of_frames() {
        let mut input = BytesMut::from(&b"\x01\0\0\0a".repeat(FRAMES_PER_TURN + 3)[..]);
        for expected in [FRAMES_PER_TURN, 3] {
            let (frames, rest) = take_frames(&mut input, 20);
            assert_eq!((frames.len(), rest), (expected, Ok(())));
        }
        assert!(input.is_empty());
    }
}
