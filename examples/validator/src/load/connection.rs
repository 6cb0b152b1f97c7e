use std::io;
use std::sync::Arc;
use std::time::Duration;

use quorate_node::client::Code;
use quorate_node::client::stream::protocol::{Event, PREAMBLE};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::counts::Shared;
use super::queue::Queue;

/// Pause between two attempts to connect.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);
/// Time limit for the connection and its handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Keeps a connection to `target`; reconnects when it ends. Never returns.
pub(super) async fn keep(target: String, queue: Arc<Queue>, shared: Arc<Shared>) {
    loop {
        match timeout(CONNECT_TIMEOUT, connect(&target)).await {
            Ok(Ok(stream)) => {
                queue.open();
                let ended = converse(stream, &queue, &shared).await;
                tracing::debug!(%target, ?ended, "a submission stream ended");
                shared.counts().lost += queue.close();
            }
            Ok(Err(error)) => tracing::debug!(%target, %error, "cannot connect"),
            Err(_) => tracing::debug!(%target, "does not answer"),
        }
        sleep(RECONNECT_PAUSE).await;
    }
}

async fn connect(target: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(target).await?;
    stream.set_nodelay(true)?;
    stream.write_all(&PREAMBLE).await?;
    let mut welcome = vec![0; 1 + 32 + 4 + 4];
    stream.read_exact(&mut welcome).await?;
    match Event::read(&welcome) {
        Ok(Some((Event::Welcome { .. }, _))) => Ok(stream),
        _ => Err(io::Error::other("the server does not speak the submission stream protocol")),
    }
}

/// Sends queued frames and records the answers until the connection ends.
async fn converse(stream: TcpStream, queue: &Queue, shared: &Shared) -> io::Result<()> {
    let (mut reader, mut writer) = stream.into_split();
    let (mut input, mut output, mut sent) = (Vec::with_capacity(1 << 16), Vec::new(), 0);
    loop {
        tokio::select! {
            () = queue.pushed(), if sent == output.len() => {
                output.clear();
                sent = 0;
                queue.swap(&mut output);
            }
            written = writer.write(output.get(sent..).unwrap_or_default()), if sent < output.len() => {
                match written? {
                    0 => return Ok(()),
                    n => sent += n,
                }
                if sent == output.len() {
                    output.clear();
                    sent = 0;
                    queue.swap(&mut output);
                }
            }
            read = reader.read_buf(&mut input) => {
                if read? == 0 {
                    return Ok(());
                }
                let taken = listen(&input, queue, shared)?;
                input.drain(..taken);
            }
        }
    }
}

/// Records the complete events in `input` and returns their length in bytes.
fn listen(input: &[u8], queue: &Queue, shared: &Shared) -> io::Result<usize> {
    let now = shared.now();
    let mut at = 0;
    while let Some((event, length)) =
        Event::read(input.get(at..).unwrap_or_default()).map_err(io::Error::other)?
    {
        at += length;
        match event {
            Event::Committed { first, count, .. } => {
                let mut counts = shared.counts();
                counts.commits_at(now);
                queue.answer(first, count.into(), |index, count| {
                    for number in index..index + count {
                        counts.commit(now.saturating_sub(shared.due(number)));
                    }
                });
            }
            Event::Refused { sequence, code } => {
                let name = Code::from_number(code).map_or("UNKNOWN", Code::name);
                let mut refused = 0;
                queue.answer(sequence, 1, |_, count| refused += count);
                *shared.counts().refused.entry(name).or_default() += refused;
            }
            Event::Closing { code } => {
                let name = Code::from_number(code).map_or("UNKNOWN", Code::name);
                *shared.counts().closed.entry(name).or_default() += 1;
                return Err(io::Error::other(format!("the validator closed the stream: {name}")));
            }
            Event::Accepted { .. } | Event::Welcome { .. } => {}
        }
    }
    Ok(at)
}
