use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Connection that fails if the client reads nothing for too long. Otherwise a client that never reads would hold its
/// connection and the data queued on it forever.
#[derive(Debug)]
pub(super) struct StallGuard<T> {
    inner: T,
    timeout: Duration,
    /// Deadline of a pending write.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<T> StallGuard<T> {
    pub(super) fn new(inner: T, timeout: Duration) -> Self {
        Self { inner, timeout, deadline: None }
    }

    fn watch<R>(&mut self, cx: &mut Context<'_>, result: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if result.is_ready() {
            self.deadline = None;
            return result;
        }
        let timeout = self.timeout;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(timeout)));
        match deadline.as_mut().poll(cx) {
            Poll::Ready(()) => {
                // A later poll must fail again rather than wait.
                deadline.as_mut().reset(Instant::now());
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for StallGuard<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for StallGuard<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.watch(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.watch(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_flush(cx);
        self.watch(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.watch(cx, result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn a_client_that_stops_reading_is_disconnected() {
        let (ours, mut theirs) = tokio::io::duplex(64);
        let mut guarded = StallGuard::new(ours, Duration::from_millis(20));
        let reading = tokio::spawn(async move {
            let mut buffer = [0; 1000];
            theirs.read_exact(&mut buffer).await.map(|_| theirs)
        });
        guarded.write_all(&[7; 1000]).await.unwrap();
        let _theirs = reading.await.unwrap().unwrap();
        let error = guarded.write_all(&[7; 1000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(guarded.write_all(&[7; 1000]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
