use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate::certificate::{Kind, Statement, TimeoutVote, Vote};
use quorate::committee::Committee;
use quorate::ed25519;
use quorate::guard::ExternalKey;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::Decode;
use quorate::{Error, Result};
use quorate_tls::{Tls, server_name};
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::PROTOCOL;
use super::address::SignerAddress;
use super::error::SignerError;
use super::message::{Answer, MAX_FRAME, Request, frame};
use super::timed::TimedStream;
use crate::NodeError;
use crate::links::LinkError;

/// Time for an answer, with the connection if there is none.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Pause after the first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// Minimum interval between two warnings about the same problem.
const LOG_EVERY: Duration = Duration::from_secs(10);

type Connection = StreamOwned<ClientConnection, TimedStream>;

/// A voting key that a signer holds, for a chain or a node in place of the secret key.
///
/// It blocks: a call returns within half a second, also if the signer is gone. After a failure the signer is not asked for a
/// pause of 100 ms that doubles up to two seconds; calls in between fail at once. Every signature is verified before it is
/// returned.
pub struct RemoteSigner<S: Scheme> {
    signer: SignerAddress,
    tls: Arc<ClientConfig>,
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    key: S::PublicKey,
    connection: Option<Connection>,
    pause: Duration,
    /// Not asked before.
    retry_at: Option<Instant>,
    /// Code and time of the last warning.
    warned: Option<(&'static str, Instant)>,
}

impl<S: Scheme> RemoteSigner<S> {
    /// Creates the client of a signer, for member `me` of `committee` with the identity key `identity`. Does not connect.
    ///
    /// # Errors
    /// [`NodeError::Block`] if there is no member `me`; [`NodeError::Tls`].
    pub fn new(
        signer: SignerAddress,
        identity: ed25519::SecretKey,
        committee: Arc<Committee<S>>,
        me: MemberIndex,
    ) -> crate::Result<Self> {
        let key = committee.key(me).ok_or(Error::UnknownSigner { index: me.into() })?.clone();
        let tls = Tls::accepting(identity, [], PROTOCOL)?.client_config(&signer.identity)?;
        let (pause, retry_at) = (FIRST_PAUSE, None);
        Ok(Self { signer, tls, committee, me, key, connection: None, pause, retry_at, warned: None })
    }

    /// As [`new`](RemoteSigner::new), and connects. A signer that does not answer yet is only logged.
    ///
    /// # Errors
    /// [`NodeError::Config`] if the signer holds another key or is of another chain.
    pub fn open(
        signer: SignerAddress,
        identity: ed25519::SecretKey,
        committee: Arc<Committee<S>>,
        me: MemberIndex,
    ) -> crate::Result<Self> {
        let mut signer = Self::new(signer, identity, committee, me)?;
        match signer.connect() {
            Ok(()) => tracing::info!(address = %signer.signer.address, "connected to the signer"),
            Err(error @ SignerError::Unreachable { .. }) => signer.log(Some(&error)),
            Err(error) => {
                return Err(NodeError::Config { path: None, problem: format!("node.signer: {error}") });
            }
        }
        Ok(signer)
    }

    /// Connects, unless there is a connection, and checks that the signer holds the key of this member. Signing connects
    /// by itself; this shows a mistake in the setup before the first vote.
    ///
    /// # Errors
    /// [`SignerError`].
    pub fn connect(&mut self) -> Result<(), SignerError> {
        self.within_pauses(|signer, deadline| {
            let connection = match signer.connection.take() {
                Some(connection) => connection,
                None => signer.dial(deadline)?,
            };
            signer.connection = Some(connection);
            Ok(())
        })
    }

    /// Asks the signer to sign a statement, and verifies the signature.
    ///
    /// # Errors
    /// [`SignerError::Refused`] with the error of the signer's guard, for example a contradiction; other [`SignerError`]s
    /// if there is no answer or a wrong one. Then the signer may have signed: the same statement may be tried again.
    pub fn sign(&mut self, statement: Statement) -> Result<Vote<S>, SignerError> {
        let request = Request::Sign { committee: self.committee.id(), statement };
        let answer = self.within_pauses(|signer, deadline| {
            // The signer closes idle connections, and none survives its restart. The request may be repeated, because the
            // same statement has the same signature.
            if let Some(connection) = signer.connection.take()
                && let Ok(answer) = signer.ask(connection, &request, deadline)
            {
                return signer.check(answer, statement);
            }
            let connection = signer.dial(deadline)?;
            let answer = signer.ask(connection, &request, deadline)?;
            signer.check(answer, statement)
        });
        answer?.map_err(SignerError::Refused)
    }

    /// Asks the signer to sign a timeout vote, and verifies the signature.
    ///
    /// # Errors
    /// As [`sign`](RemoteSigner::sign).
    pub fn sign_timeout(&mut self, kind: Kind, view: u64, value: u64) -> Result<TimeoutVote<S>, SignerError> {
        let epoch = self.committee.epoch();
        let vote = self.sign(TimeoutVote::<S>::statement_of(kind, epoch, view, value))?;
        Ok(TimeoutVote::new(kind, epoch, view, value, vote.signer(), vote.signature().clone()))
    }

    /// Runs `work` unless a failure was a moment ago. A failure begins the next, longer pause.
    fn within_pauses<T>(
        &mut self,
        work: impl FnOnce(&mut Self, Instant) -> Result<T, SignerError>,
    ) -> Result<T, SignerError> {
        let now = Instant::now();
        if let Some(retry_at) = self.retry_at.filter(|retry_at| *retry_at > now) {
            return Err(SignerError::Paused { address: self.signer.address, retry_in: retry_at - now });
        }
        let done = work(self, now + TIMEOUT);
        match done {
            Ok(_) => (self.pause, self.retry_at) = (FIRST_PAUSE, None),
            Err(_) => {
                self.connection = None;
                self.retry_at = Some(Instant::now() + self.pause);
                self.pause = (2 * self.pause).min(MAX_PAUSE);
            }
        }
        done
    }

    /// Connects, and checks that the signer holds the key of this member.
    fn dial(&self, deadline: Instant) -> Result<Connection, SignerError> {
        let unreachable = |error| self.unreachable(LinkError::from(error).to_string());
        let stream = TimedStream::connect(self.signer.address, deadline).map_err(unreachable)?;
        let name = server_name().map_err(|error| self.unreachable(error.to_string()))?;
        let tls = ClientConnection::new(self.tls.clone(), name);
        let tls = tls.map_err(|error| self.unreachable(error.to_string()))?;
        let mut connection = StreamOwned::new(tls, stream);
        match self.exchange(&mut connection, &Request::Key(self.committee.id()))? {
            Answer::Key(key) if key == self.key => Ok(connection),
            Answer::Key(_) => Err(SignerError::WrongKey { address: self.signer.address }),
            Answer::Refused(refusal) => Err(SignerError::Refused(refusal.error(Kind::new(0)))),
            Answer::Signature(_) => Err(self.bad_answer(Error::Malformed { what: "answer" })),
        }
    }

    /// Sends a request on a connection, which it keeps if there is an answer.
    fn ask(
        &mut self,
        mut connection: Connection,
        request: &Request,
        deadline: Instant,
    ) -> Result<Answer<S>, SignerError> {
        connection.sock.set_deadline(deadline);
        let answer = self.exchange(&mut connection, request)?;
        self.connection = Some(connection);
        Ok(answer)
    }

    fn exchange(&self, connection: &mut Connection, request: &Request) -> Result<Answer<S>, SignerError> {
        let mut length = [0; 4];
        let received = connection
            .write_all(&frame(request))
            .and_then(|()| connection.flush())
            .and_then(|()| connection.read_exact(&mut length));
        received.map_err(|error| self.unreachable(LinkError::from(error).to_string()))?;
        let mut buffer = [0; MAX_FRAME];
        let body = buffer.get_mut(..u32::from_le_bytes(length) as usize);
        let limit = MAX_FRAME as u64;
        let body =
            body.ok_or_else(|| self.bad_answer(Error::TooLarge { what: "length of an answer", limit }))?;
        let received = connection.read_exact(body);
        received.map_err(|error| self.unreachable(LinkError::from(error).to_string()))?;
        Answer::decode(body, &()).map_err(|problem| self.bad_answer(problem))
    }

    /// Verifies an answer. The inner error is that of the signer's guard.
    fn check(&self, answer: Answer<S>, statement: Statement) -> Result<Result<Vote<S>>, SignerError> {
        match answer {
            Answer::Signature(signature) => {
                let vote = Vote::new(statement, self.me, signature);
                vote.check(&self.committee).map_err(|problem| self.bad_answer(problem))?;
                Ok(Ok(vote))
            }
            Answer::Refused(refusal) => Ok(Err(refusal.error(statement.kind))),
            Answer::Key(_) => Err(self.bad_answer(Error::Malformed { what: "answer" })),
        }
    }

    fn unreachable(&self, reason: String) -> SignerError {
        SignerError::Unreachable { address: self.signer.address, reason }
    }

    fn bad_answer(&self, problem: Error) -> SignerError {
        SignerError::BadAnswer { address: self.signer.address, problem }
    }
}

/// Failures are logged.
impl<S: Scheme> ExternalKey<S> for RemoteSigner<S> {
    fn public_key(&self) -> &S::PublicKey {
        &self.key
    }

    fn sign(&mut self, committee: &Committee<S>, statement: &Statement) -> Result<S::Signature> {
        if committee.id() != self.committee.id() {
            return Err(Error::WrongContext { what: "committee: the signer's is fixed" });
        }
        let signed = RemoteSigner::sign(self, *statement);
        self.log(signed.as_ref().err());
        signed.map(|vote| vote.signature().clone()).map_err(SignerError::into_guard_error)
    }
}

impl<S: Scheme> RemoteSigner<S> {
    /// Logs the begin and the end of a problem, and every ten seconds that it lasts.
    fn log(&mut self, failure: Option<&SignerError>) {
        match failure {
            None => {
                if self.warned.take().is_some() {
                    tracing::info!(address = %self.signer.address, "the signer signs again");
                }
            }
            Some(SignerError::Paused { .. }) => {}
            Some(error) => {
                let (reason, now) = (error.code(), Instant::now());
                if !self.warned.is_some_and(|(code, at)| code == reason && now.duration_since(at) < LOG_EVERY)
                {
                    self.warned = Some((reason, now));
                    tracing::warn!(code = "SIGNER_FAILED", reason, %error, "no signature from the signer");
                }
            }
        }
    }
}
