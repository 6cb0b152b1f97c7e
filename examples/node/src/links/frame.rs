use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use quorate::machine::Time;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

use super::error::LinkError;

/// A frame of length 0, which asks for an answer.
pub(super) const PROBE: Bytes = Bytes::from_static(&[0; 4]);
/// Size of the answer to a probe: a frame with the clock of the peer.
const ANSWER: usize = 12;

/// Answer to a probe: a frame with this node's clock.
pub(super) fn probe_answer(now: Time) -> Bytes {
    let mut frame = BytesMut::with_capacity(ANSWER);
    frame.put_u32_le(8);
    frame.put_u64_le(now.0);
    frame.freeze()
}

/// Takes the first answer to a probe out of received bytes, and returns the peer's clock in microseconds since 1970.
/// `None` if it is not complete.
pub(super) fn take_probe_answer(received: &mut BytesMut) -> Result<Option<u64>, LinkError> {
    let Some((header, _)) = received.split_first_chunk::<4>() else { return Ok(None) };
    if u32::from_le_bytes(*header) != 8 {
        return Err(LinkError::Unexpected);
    }
    if received.len() < ANSWER {
        return Ok(None);
    }
    received.advance(4);
    Ok(Some(received.get_u64_le()))
}

/// Approximate memory that a received frame takes besides its bytes. It counts against the limits too: a peer could otherwise
/// fill many times their memory with frames of a few bytes.
pub(super) const OVERHEAD: usize = 192;
/// Frames up to this size are copied into one buffer; larger frames are written without a copy.
const COPY_BELOW: usize = 4 << 10;

/// Result of reading from a link.
pub(super) enum Incoming {
    /// A frame of length 0, which only shows that the peer is alive.
    Probe,
    /// A frame and its share of the peer's inbound limit.
    Frame(Bytes, OwnedSemaphorePermit),
}

/// Timeout for operations without progress.
pub(super) struct Watchdog {
    sleep: Pin<Box<Sleep>>,
    timeout: Duration,
}

impl Watchdog {
    pub(super) fn new(timeout: Duration) -> Self {
        Self { sleep: Box::pin(sleep(timeout)), timeout }
    }

    /// Runs `work`, and fails if it takes longer than the timeout.
    pub(super) async fn guard<T>(
        &mut self,
        during: &'static str,
        work: impl Future<Output = io::Result<T>>,
    ) -> Result<T, LinkError> {
        self.sleep.as_mut().reset(Instant::now() + self.timeout);
        tokio::select! {
            biased;
            result = work => Ok(result?),
            () = &mut self.sleep => Err(LinkError::Timeout { during }),
        }
    }
}

/// Reads one frame of at most `cap` bytes. Allocates only after the length is checked and `shares` has capacity for
/// it and its [`OVERHEAD`]. The timeout does not include the wait for capacity.
pub(super) async fn read<R: AsyncBufRead + Unpin>(
    stream: &mut R,
    cap: usize,
    shares: &Arc<Semaphore>,
    watchdog: &mut Watchdog,
) -> Result<Incoming, LinkError> {
    let mut header = [0; 4];
    fill(stream, header.len(), &mut header.as_mut_slice(), watchdog).await?;
    let length = u32::from_le_bytes(header);
    if length == 0 {
        return Ok(Incoming::Probe);
    }
    let size = length as usize;
    if size > cap {
        return Err(LinkError::TooLarge { length: size, limit: cap });
    }
    let taken = length.saturating_add(OVERHEAD as u32);
    let share = shares.clone().acquire_many_owned(taken).await.map_err(|_| LinkError::Replaced)?;
    let mut body = BytesMut::with_capacity(size);
    fill(stream, size, &mut body, watchdog).await?;
    Ok(Incoming::Frame(body.freeze(), share))
}

/// Reads a short frame: a hello or an answer.
pub(super) async fn read_short<R: AsyncBufRead + Unpin>(
    stream: &mut R,
    cap: usize,
    watchdog: &mut Watchdog,
) -> Result<Bytes, LinkError> {
    let shares = Arc::new(Semaphore::new(cap + OVERHEAD));
    match read(stream, cap, &shares, watchdog).await? {
        Incoming::Frame(body, _) => Ok(body),
        Incoming::Probe => Ok(Bytes::new()),
    }
}

async fn fill<R: AsyncBufRead + Unpin>(
    stream: &mut R,
    mut missing: usize,
    into: &mut impl BufMut,
    watchdog: &mut Watchdog,
) -> Result<(), LinkError> {
    while missing > 0 {
        let available = watchdog.guard("waiting for the peer", stream.fill_buf()).await?;
        if available.is_empty() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let part = available.get(..missing).unwrap_or(available);
        let n = part.len();
        into.put_slice(part);
        stream.consume(n);
        missing -= n;
    }
    Ok(())
}

/// Prepares frames for writing: lengths and small frames in shared buffers, large frames without a copy.
pub(super) fn lay_out(frames: &mut Vec<Bytes>, chunks: &mut VecDeque<Bytes>) {
    let mut small = BytesMut::new();
    for frame in frames.drain(..) {
        // Frames are capped far below 4 GiB.
        small.put_u32_le(u32::try_from(frame.len()).unwrap_or(0));
        if frame.len() <= COPY_BELOW {
            small.put_slice(&frame);
        } else {
            chunks.push_back(small.split().freeze());
            chunks.push_back(frame);
        }
    }
    if !small.is_empty() {
        chunks.push_back(small.freeze());
    }
}

/// Writes all chunks.
pub(super) async fn write<W: AsyncWrite + Unpin>(
    stream: &mut W,
    chunks: &mut VecDeque<Bytes>,
    watchdog: &mut Watchdog,
) -> Result<(), LinkError> {
    const WRITING: &str = "writing to the peer";
    while !chunks.is_empty() {
        let mut slices = [IoSlice::new(&[]); 32];
        for (slice, chunk) in slices.iter_mut().zip(chunks.iter()) {
            *slice = IoSlice::new(chunk);
        }
        let mut written = watchdog.guard(WRITING, stream.write_vectored(&slices)).await?;
        if written == 0 {
            return Err(io::Error::from(io::ErrorKind::WriteZero).into());
        }
        while let Some(front) = chunks.front_mut() {
            let n = written.min(front.len());
            front.advance(n);
            written -= n;
            if !front.is_empty() {
                break;
            }
            chunks.pop_front();
        }
    }
    watchdog.guard(WRITING, stream.flush()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read_all(bytes: &[u8], cap: usize) -> Result<Vec<Bytes>, LinkError> {
        let (mut stream, shares) = (bytes, Arc::new(Semaphore::new(1 << 20)));
        let mut watchdog = Watchdog::new(Duration::from_secs(5));
        let mut frames = Vec::new();
        while !stream.is_empty() {
            if let Incoming::Frame(body, _) = read(&mut stream, cap, &shares, &mut watchdog).await? {
                frames.push(body);
            }
        }
        Ok(frames)
    }

    #[tokio::test]
    async fn written_frames_are_read_back() {
        let frames: Vec<Bytes> =
            [1, 4096, 4097, 70_000, 3].iter().map(|n| vec![*n as u8; *n].into()).collect();
        let mut chunks = VecDeque::new();
        lay_out(&mut frames.clone(), &mut chunks);
        chunks.push_back(PROBE);
        let mut wire = Vec::new();
        write(&mut wire, &mut chunks, &mut Watchdog::new(Duration::from_secs(5))).await.unwrap();
        assert_eq!(read_all(&wire, 70_000).await.unwrap(), frames);
        assert_eq!(read_all(&wire, 69_999).await.unwrap_err().code(), "TOO_LARGE");
        assert_eq!(read_all(&wire[..wire.len() - 5], 70_000).await.unwrap_err().code(), "CLOSED");
    }

    #[tokio::test]
    async fn small_frames_take_more_than_their_bytes() {
        let (mut stream, shares) = (&[1, 0, 0, 0, 7][..], Arc::new(Semaphore::new(1000)));
        let mut watchdog = Watchdog::new(Duration::from_secs(5));
        let frame = read(&mut stream, 8, &shares, &mut watchdog).await;
        assert_eq!((frame.is_ok(), shares.available_permits()), (true, 1000 - 1 - OVERHEAD));
    }

    #[test]
    fn answers_to_probes_are_read_in_any_pieces() {
        let wire = [probe_answer(Time(5)), probe_answer(Time(1 << 50))].concat();
        for cut in 0..=wire.len() {
            let (mut received, mut clocks) = (BytesMut::new(), Vec::new());
            for part in [&wire[..cut], &wire[cut..]] {
                received.extend_from_slice(part);
                while let Some(clock) = take_probe_answer(&mut received).unwrap() {
                    clocks.push(clock);
                }
            }
            assert_eq!(clocks, [5, 1 << 50]);
        }
        let other = take_probe_answer(&mut BytesMut::from(&[9, 0, 0, 0][..]));
        assert_eq!(other.unwrap_err().code(), LinkError::Unexpected.code());
    }

    #[tokio::test]
    async fn a_silent_peer_times_out_but_waiting_for_capacity_does_not() {
        let timeout = Duration::from_millis(20);
        let shares = Arc::new(Semaphore::new(8 + OVERHEAD));
        let held = shares.clone().acquire_many_owned(8 + OVERHEAD as u32).await.unwrap();
        tokio::spawn(async move {
            sleep(timeout * 10).await;
            drop(held);
        });
        let (mut here, mut there) = tokio::io::duplex(64);
        there.write_all(&[2, 0, 0, 0, 1, 2]).await.unwrap();
        let mut here = tokio::io::BufReader::new(&mut here);
        let mut watchdog = Watchdog::new(timeout);
        let Incoming::Frame(body, _share) = read(&mut here, 8, &shares, &mut watchdog).await.unwrap() else {
            panic!("a probe")
        };
        assert_eq!(*body, [1, 2]);
        let error = read(&mut here, 8, &shares, &mut watchdog).await.err().unwrap();
        assert_eq!(error.code(), "TIMEOUT");
    }
}
