use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quorate::certificate::Statement;
use quorate::committee::{Committee, CommitteeId};
use quorate::ed25519;
use quorate::guard::JournaledGuard;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_tls::Tls;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;

use super::PROTOCOL;
use super::message::{Answer, MAX_FRAME, Refusal, Request, frame};
use super::pace::Pace;
use crate::links::{HandshakeLimiter, LinkError, RefusalLog};

/// Time for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Time for the rest of a request after its length, and for an answer to be taken.
const FRAME: Duration = Duration::from_secs(2);
/// Time without a request after which a connection is closed.
const IDLE: Duration = Duration::from_secs(300);
/// Maximum number of unauthenticated connections.
const UNAUTHENTICATED: usize = 16;

/// A signer: it answers one validator, with the key and the journal of a [`JournaledGuard`].
///
/// Only connections that prove the validator's identity key are answered. A newer one of them replaces an older one, so that
/// a validator that restarts, or whose connection broke unnoticed, continues at once.
pub struct SigningService<S: Scheme> {
    guard: Mutex<Guarded<S>>,
    key: S::PublicKey,
    committee: Arc<Committee<S>>,
    tls: Tls,
    /// Number of the validator's connections so far: only the newest one is answered.
    connections: watch::Sender<u64>,
    limiter: Arc<HandshakeLimiter>,
    refusals: RefusalLog,
}

struct Guarded<S: Scheme> {
    guard: JournaledGuard<S>,
    pace: Pace,
}

/// Reason why a connection ended.
enum End {
    Link(LinkError),
    /// The record of a signature may not be durable: the service ends.
    Journal(Error),
}

impl<S: Scheme> SigningService<S> {
    /// Creates a signer for a member of `committee`. `identity` is the signer's own identity key, and `validator` that of the
    /// validator.
    ///
    /// # Errors
    /// [`WrongContext`](Error::WrongContext) if the guard is of another chain or its key is not a member's;
    /// [`NodeError::Tls`](crate::NodeError::Tls).
    pub fn new(
        guard: JournaledGuard<S>,
        committee: Arc<Committee<S>>,
        identity: ed25519::SecretKey,
        validator: &ed25519::PublicKey,
    ) -> crate::Result<Self> {
        let key = guard.public_key().clone();
        if guard.chain() != committee.chain() || committee.position(&key).is_none() {
            return Err(
                Error::WrongContext { what: "chain or voting key: no member of the committee" }.into()
            );
        }
        let tls = Tls::accepting(identity, [(0, validator)], PROTOCOL)?;
        let guard = Mutex::new(Guarded { guard, pace: Pace::default() });
        let (connections, limiter) = (watch::Sender::new(0), HandshakeLimiter::new(UNAUTHENTICATED));
        Ok(Self { guard, key, committee, tls, connections, limiter, refusals: RefusalLog::default() })
    }

    /// Answers until the journal fails, and returns its error. It may be dropped at any time: what was answered is
    /// durable.
    pub async fn run(self, listener: TcpListener) -> Error {
        let service = Arc::new(self);
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                Some(ended) = connections.join_next() => match ended {
                    Ok(Some(error)) => return error,
                    _ => continue,
                },
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, from)) => {
                    connections.spawn(service.clone().serve(stream, from));
                }
                Err(error) => {
                    tracing::warn!(code = "LINK_NOT_ACCEPTED", %error, "cannot accept a connection");
                    sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Serves a connection. Returns an error only if the journal failed.
    async fn serve(self: Arc<Self>, stream: TcpStream, from: SocketAddr) -> Option<Error> {
        let mut stream = match self.authenticate(stream, from).await {
            Ok(stream) => stream,
            Err(error) => {
                self.refusals.warn("unknown", from, &error);
                return None;
            }
        };
        let mut number = 0;
        self.connections.send_modify(|connections| {
            *connections += 1;
            number = *connections;
        });
        tracing::info!(address = %from, "the validator is connected");
        let mut newest = self.connections.subscribe();
        let end = tokio::select! {
            biased;
            _ = newest.wait_for(|newest| *newest != number) => End::Link(LinkError::Replaced),
            end = self.answer_all(number, &mut stream) => end,
        };
        match end {
            End::Link(error) => {
                tracing::info!(address = %from, reason = error.code(), %error, "the validator's connection ended");
                None
            }
            End::Journal(error) => Some(error),
        }
    }

    /// Runs the TLS handshake, in which the validator proves its identity key.
    async fn authenticate(
        &self,
        stream: TcpStream,
        from: SocketAddr,
    ) -> Result<TlsStream<TcpStream>, LinkError> {
        let mut permit = self.limiter.admit(from.ip());
        stream.set_nodelay(true)?;
        tokio::select! {
            handshake = timeout(HANDSHAKE, self.tls.acceptor().accept(stream)) => match handshake {
                Ok(stream) => Ok(stream?),
                Err(_) => Err(LinkError::Timeout { during: "the handshake" }),
            },
            () = permit.withdrawn() => Err(LinkError::TooMany),
        }
    }

    async fn answer_all(&self, number: u64, stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> End {
        loop {
            let body = match read(stream).await {
                Ok(body) => body,
                Err(error) => return End::Link(error),
            };
            let wait = self.lock().pace.wait(Instant::now());
            if !wait.is_zero() {
                sleep(wait).await;
            }
            let (answer, end) = self.answer(number, &body);
            if let Err(error) = write(stream, &frame(&answer)).await {
                return end.unwrap_or(End::Link(error));
            }
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// Answers a request, and says whether the connection ends with the answer.
    fn answer(&self, number: u64, body: &[u8]) -> (Answer<S>, Option<End>) {
        match Request::decode(body, &()) {
            Ok(Request::Key(committee)) => {
                let known = committee == self.committee.id();
                let answer = match known {
                    true => Answer::Key(self.key.clone()),
                    false => Answer::Refused(Refusal::WrongContext),
                };
                (answer, None)
            }
            Ok(Request::Sign { committee, statement }) => match self.sign(number, committee, statement) {
                Ok(signature) => (Answer::Signature(signature), None),
                Err(error) => {
                    self.log(&statement, &error);
                    let refusal = Refusal::from(&error);
                    let end = (refusal == Refusal::JournalFailed).then_some(End::Journal(error));
                    (Answer::Refused(refusal), end)
                }
            },
            Err(error) => {
                let problem = io::Error::new(io::ErrorKind::InvalidData, error.to_string());
                (Answer::Refused(Refusal::Malformed), Some(End::Link(problem.into())))
            }
        }
    }

    fn sign(&self, number: u64, committee: CommitteeId, statement: Statement) -> Result<S::Signature> {
        if committee != self.committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        let mut guarded = self.lock();
        // Inside the lock: a replaced connection has no signature any more.
        if *self.connections.borrow() != number {
            return Err(Error::WrongContext { what: "connection: a newer one has replaced it" });
        }
        Ok(guarded.guard.sign(&self.committee, statement)?.signature().clone())
    }

    /// Logs a refused statement, at most one of each code in ten seconds.
    fn log(&self, statement: &Statement, error: &Error) {
        let code = error.code();
        if let Some(left_out) = self.refusals.due("the validator", code, Instant::now()) {
            tracing::warn!(
                code = "SIGNER_REFUSED",
                reason = code,
                kind = statement.kind.number(),
                epoch = statement.epoch,
                view = statement.view,
                %error,
                left_out,
                "a statement of the validator was not signed"
            );
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Guarded<S>> {
        // A panic inside the guard leaves it failed: it signs nothing more.
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a frame. A longer one than any request ends the connection before anything is allocated for it.
async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, LinkError> {
    let mut length = [0; 4];
    let waiting = LinkError::Timeout { during: "waiting for a request" };
    timeout(IDLE, stream.read_exact(&mut length)).await.map_err(|_| waiting)??;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(LinkError::TooLarge { length, limit: MAX_FRAME });
    }
    let mut body = vec![0; length];
    let reading = LinkError::Timeout { during: "reading a request" };
    timeout(FRAME, stream.read_exact(&mut body)).await.map_err(|_| reading)??;
    Ok(body)
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> Result<(), LinkError> {
    let sent = timeout(FRAME, async {
        stream.write_all(bytes).await?;
        stream.flush().await
    });
    sent.await.map_err(|_| LinkError::Timeout { during: "sending an answer" })??;
    Ok(())
}
