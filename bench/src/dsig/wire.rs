//! Latency of a message between two threads over TCP on loopback: half a round trip, as in the paper. Both sides poll, as
//! with the paper's network cards, so that no thread has to be woken.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout of an answer: other programs may keep the machine busy.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// One-way latencies in nanoseconds, `rounds` for messages of each size. Sizes are 2 or more.
pub(super) fn one_way_latencies(sizes: &[u16], rounds: usize) -> Result<Vec<Vec<f64>>, String> {
    let problem = |e: std::io::Error| format!("sending over loopback: {e}");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(problem)?;
    let mut near = TcpStream::connect(listener.local_addr().map_err(problem)?).map_err(problem)?;
    let (far, _) = listener.accept().map_err(problem)?;
    for stream in [&near, &far] {
        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).map_err(problem)?;
    }
    let echo = thread::spawn(move || echo(far));
    let times = sizes.iter().map(|size| {
        let mut message = vec![7u8; usize::from(*size)];
        if let Some(prefix) = message.first_chunk_mut() {
            *prefix = size.to_le_bytes();
        }
        let mut answer = message.clone();
        let mut transit = || {
            let began = Instant::now();
            send(&mut near, &message)?;
            receive(&mut near, &mut answer)?;
            Ok(began.elapsed().as_nanos() as f64 / 2.0)
        };
        transit()?;
        (0..rounds).map(|_| transit()).collect()
    });
    let times: std::io::Result<_> = times.collect();
    // Closing our end makes the other thread end.
    drop(near);
    let echoed = echo.join().map_err(|_| "the echoing thread ended unexpectedly".to_owned())?;
    let times = times.map_err(problem)?;
    echoed.map_err(problem)?;
    Ok(times)
}

/// Echoes messages until the connection is closed.
fn echo(mut stream: TcpStream) -> std::io::Result<()> {
    let mut message = Vec::new();
    loop {
        let mut prefix = [0; 2];
        match receive(&mut stream, &mut prefix) {
            Err(e) if e.kind() == ErrorKind::UnexpectedEof || e.kind() == ErrorKind::ConnectionReset => {
                return Ok(());
            }
            other => other?,
        }
        message.clear();
        message.extend_from_slice(&prefix);
        message.resize(usize::from(u16::from_le_bytes(prefix)).max(2), 0);
        if let Some(rest) = message.get_mut(2..) {
            receive(&mut stream, rest)?;
        }
        send(&mut stream, &message)?;
    }
}

fn receive(stream: &mut TcpStream, mut into: &mut [u8]) -> std::io::Result<()> {
    while !into.is_empty() {
        let taken = retry(|| stream.read(into))?;
        into = into.get_mut(taken..).unwrap_or_default();
    }
    Ok(())
}

fn send(stream: &mut TcpStream, mut bytes: &[u8]) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let taken = retry(|| stream.write(bytes))?;
        bytes = bytes.get(taken..).unwrap_or_default();
    }
    Ok(())
}

/// Retries until the call succeeds, and yields in between: on a machine with one processor the other side needs it.
fn retry(mut work: impl FnMut() -> std::io::Result<usize>) -> std::io::Result<usize> {
    let mut began = None;
    loop {
        match work() {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(e) if e.kind() == ErrorKind::WouldBlock || e.kind() == ErrorKind::Interrupted => {
                if began.get_or_insert_with(Instant::now).elapsed() > SEND_TIMEOUT {
                    return Err(ErrorKind::TimedOut.into());
                }
                thread::yield_now();
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_every_size_come_back() {
        let latencies = one_way_latencies(&[2, 8, 1592, u16::MAX], 5).unwrap();
        assert!(latencies.iter().all(|times| times.len() == 5 && times.iter().all(|time| *time > 0.0)));
        assert_eq!(latencies.len(), 4);
    }
}
