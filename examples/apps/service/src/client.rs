//! A client: signs each request, and checks that the server keeps to the protocol.
//!
//! A client of an engine whose answers are signed receives the answer first and its [receipt](crate::receipt) after it, so that
//! the signature adds nothing to the latency of the answer: [`Client::receipt`] waits for it and verifies it.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use quorate::Error;
use quorate::dsig::SignerConfig;
use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::scheme::Scheme as _;
use quorate_audit::eddsa::{EddsaLibrary, EddsaSigner};
use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::keys::Key;
use quorate_audit::now;
use quorate_audit::signed::{SignatureScheme, SignedCommand};
use quorate_audit::suites::{DynSigner, signer};
use quorate_link::{Endpoint, Link, Pace, SendError};

use crate::Engine;
use crate::frame::{Frame, REQUEST};
use crate::receipt::{Receipt, ReceiptVerifier};

/// Options of a client.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Signature scheme.
    pub scheme: SignatureScheme,
    /// Library that signs with EdDSA.
    pub library: EddsaLibrary,
    /// Suite of DSig.
    pub suite: SuiteId,
    /// Store that the server must have, if known.
    pub store: Option<[u8; 32]>,
    /// Public key with which the server signs its answers; none for a server that does not.
    pub server: Option<PublicKey>,
    /// Highest sequence number that a server of this store answered before. A server that reports a lower one has lost or
    /// hides entries, and is refused.
    pub answered: u64,
    /// How the client waits for answers.
    pub pace: Pace,
    /// Time limit for connecting, and for each answer.
    pub limit: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            scheme: SignatureScheme::Dsig,
            library: EddsaLibrary::default(),
            suite: SuiteId::WotsHaraka256,
            store: None,
            server: None,
            answered: 0,
            pace: Pace::Sleep,
            limit: Duration::from_secs(10),
        }
    }
}

/// A connection to the server. One request after another.
pub struct Client<E> {
    channel: Channel,
    store: [u8; 32],
    signer: [u8; 32],
    /// Verifies the receipts, if the server signs its answers.
    receipts: Option<ReceiptVerifier>,
    /// The receipt of the last answer, without its signature, while the client has not received it.
    awaited: Option<Vec<u8>>,
    signing: Signing,
    /// Sequence number of the next request.
    next: u64,
    /// Entry of the last answer.
    entry: u64,
    /// The request and the signed request that are sent.
    command: Vec<u8>,
    out: Vec<u8>,
    engine: PhantomData<E>,
}

/// Answer of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<A> {
    /// Sequence number of the request.
    pub sequence: u64,
    /// Number of its entry in the log.
    pub entry: u64,
    /// Outcome of the execution.
    pub outcome: A,
}

enum Signing {
    None,
    Eddsa(EddsaSigner),
    Dsig(Box<dyn DynSigner>),
}

/// Keys are made when fewer than this are ready.
const LOW_WATER: usize = 128;

impl<E: Engine> Client<E> {
    /// Connects and authenticates the client, and makes the first one-time keys.
    ///
    /// # Errors
    /// [`Failure`] if the server does not answer, has another store than expected, or refuses the client.
    pub fn connect(server: &Endpoint, key: &Key, options: ClientOptions) -> Result<Self, Failure> {
        let link = Link::connect(server, options.limit)
            .or_fail(Exit::Unreachable, format_args!("{server}: is the server running?"))?;
        let (pace, limit) = (options.pace, options.limit);
        let mut channel = Channel { link, pace, limit, message: Vec::new(), unverified: 0, is_lost: false };
        let (secret, public) = (key.secret_key()?, key.public()?);
        let mut out = Vec::new();
        let application = E::application();
        channel.send(&Frame::Hello { protocol: &E::PROTOCOL, signer: public.as_bytes() }, &mut out)?;
        let (store, challenge) = match channel.receive()? {
            Frame::Challenge { protocol, store, challenge } if *protocol == E::PROTOCOL => {
                (*store, *challenge)
            }
            Frame::Challenge { .. } => return Err(violation("another protocol or version")),
            other => return Err(unexpected(&other)),
        };
        if options.store.is_some_and(|expected| expected != store) {
            let message = format!("{server}: unexpected store {}", hex::encode(store));
            return Err(Failure::with_code(Exit::Refused, "OTHER_STORE", message));
        }
        let proof =
            Ed25519::sign(&secret, &application.hello(&store, &challenge, public.as_bytes())).to_bytes();
        channel.send(&Frame::Proof(&proof), &mut out)?;
        let last = match channel.receive()? {
            Frame::Welcome { last } => last,
            Frame::Refused { reason, .. } => return Err(refused(reason)),
            other => return Err(unexpected(&other)),
        };
        if last < options.answered {
            let message = format!(
                "the server's log ends with the client's request {last}, but it answered request {}",
                options.answered
            );
            return Err(Failure::with_code(Exit::Tampered, "ROLLED_BACK", message));
        }
        let signing = match options.scheme {
            SignatureScheme::None => Signing::None,
            SignatureScheme::Eddsa => Signing::Eddsa(EddsaSigner::new(options.library, secret)?),
            SignatureScheme::Dsig => {
                let config = SignerConfig { low_water: LOW_WATER, ..SignerConfig::default() };
                Signing::Dsig(
                    signer(options.suite, secret, config).or_fail(Exit::Failed, "making the signer")?,
                )
            }
        };
        let receipts = match options.server {
            Some(server) => Some(ReceiptVerifier::new(application, store, server)?),
            None => None,
        };
        let mut client = Self {
            channel,
            store,
            signer: *public.as_bytes(),
            receipts,
            awaited: None,
            signing,
            next: following(last)?,
            entry: 0,
            command: Vec::new(),
            out,
            engine: PhantomData,
        };
        client.prepare()?;
        Ok(client)
    }

    /// Returns the server's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// Returns the highest sequence number of the client in the log, for [`ClientOptions::answered`] and for auditors.
    pub fn answered(&self) -> u64 {
        self.next - 1
    }

    /// Makes one-time keys if few are left, and waits until the server has verified them: the background plane of DSig. A
    /// request that finds no key does the same. First waits for the receipt of the last answer.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn prepare(&mut self) -> Result<(), Failure> {
        self.receipt()?;
        let Signing::Dsig(signer) = &mut self.signing else { return Ok(()) };
        while let Some(work) = signer.plan(now()).or_fail(Exit::Failed, "making keys")? {
            let batch = work().or_fail(Exit::Failed, "making keys")?;
            if let Some(announcement) = signer.add(batch) {
                self.channel.send(&Frame::Announcement(&announcement), &mut self.out)?;
                self.channel.unverified += 1;
            }
        }
        while self.channel.unverified > 0 {
            match self.channel.receive()? {
                // Signatures with keys that the server refused are verified more slowly.
                Frame::Learned(_) => self.channel.unverified -= 1,
                other => {
                    let failure = unexpected(&other);
                    self.channel.is_lost = true;
                    return Err(failure);
                }
            }
        }
        Ok(())
    }

    /// Signs and sends a request, and waits for the answer.
    ///
    /// # Errors
    /// [`Failure`] with code `REFUSED` if the server refused the request, which is then not in the log; `LOST` or `TIMEOUT` if
    /// the request may or may not have been executed; `VIOLATION` if the server broke the protocol. Those of
    /// [`receipt`](Self::receipt) for the answer before it.
    pub fn call(&mut self, command: &E::Command<'_>) -> Result<Answer<E::Answer>, Failure> {
        self.receipt()?;
        self.command.clear();
        E::encode(command, &mut self.command).or_fail(Exit::Input, "the request")?;
        let sequence = self.next;
        let next = following(sequence)?;
        self.sign(sequence)?;
        self.channel.send_encoded(&self.out)?;
        let answered = match self.channel.receive()? {
            Frame::Reply { sequence: answered, entry, answer }
                if answered == sequence && entry > self.entry =>
            {
                if self.receipts.is_some() {
                    let (signer, command) = (self.signer, self.command.as_slice());
                    let awaited = self.awaited.insert(Vec::new());
                    Receipt { entry, signer, sequence, command, answer }.encode_into(awaited);
                }
                E::decode_answer(answer)
                    .map(|outcome| Answer { sequence, entry, outcome })
                    .map_err(|reason| violation(reason.0))
            }
            Frame::Refused { sequence: answered, reason } if answered == sequence => {
                return Err(refused(reason));
            }
            other => Err(unexpected(&other)),
        };
        if answered.is_err() {
            self.channel.is_lost = true;
        }
        let answer = answered?;
        (self.next, self.entry) = (next, answer.entry);
        Ok(answer)
    }

    /// Waits for the receipt of the last answer and verifies it. Returns it as a signed command of the server's key, or `None` if
    /// no answer is without its receipt. Cost: an Ed25519 verification for each batch of the server's keys, and a DSig
    /// verification.
    ///
    /// # Errors
    /// [`Failure`] with code `VIOLATION` if the receipt is of another answer or its signature is invalid; `LOST` or `TIMEOUT` if
    /// there is none.
    pub fn receipt(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(awaited) = self.awaited.take() else { return Ok(None) };
        let Some(receipts) = &mut self.receipts else { return Ok(None) };
        let received = match self.channel.receive()? {
            Frame::Receipt(body) => match receipts.verify(body, &awaited) {
                Ok(()) => Ok(Some(body.to_vec())),
                Err(reason) => Err(violation(reason.0)),
            },
            other => Err(unexpected(&other)),
        };
        if received.is_err() {
            self.channel.is_lost = true;
        }
        received
    }

    /// Writes the signed request to `out`. The signature is made in its place there.
    fn sign(&mut self, sequence: u64) -> Result<(), Failure> {
        loop {
            let time = now();
            let begin = |scheme, out: &mut Vec<u8>| {
                out.clear();
                out.push(REQUEST);
                SignedCommand::begin(scheme, sequence, time, out);
            };
            let message = || E::application().message(&self.store, sequence, time, &self.command);
            match &mut self.signing {
                Signing::None => begin(SignatureScheme::None, &mut self.out),
                Signing::Eddsa(signer) => {
                    begin(SignatureScheme::Eddsa, &mut self.out);
                    self.out.extend_from_slice(&signer.sign(&message())?);
                }
                Signing::Dsig(signer) => {
                    begin(SignatureScheme::Dsig, &mut self.out);
                    match signer.sign_to(&message(), time, &mut self.out) {
                        Ok(()) => {}
                        Err(Error::Exhausted) => {
                            self.prepare()?;
                            continue;
                        }
                        Err(error) => return Err(Failure::failed(format!("signing: {error}"))),
                    }
                }
            }
            self.out.extend_from_slice(&self.command);
            return Ok(());
        }
    }
}

/// Returns the next sequence number. A server that claims the last one violates the protocol.
fn following(sequence: u64) -> Result<u64, Failure> {
    sequence.checked_add(1).ok_or_else(|| violation("no sequence number is left"))
}

/// The link with its time limits.
struct Channel {
    link: Link,
    pace: Pace,
    limit: Duration,
    message: Vec<u8>,
    /// Number of announcements that the server has not answered.
    unverified: usize,
    /// After an error no answer can be assigned to its request.
    is_lost: bool,
}

impl Channel {
    fn send(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
        frame.encode_into(out);
        self.send_encoded(out)
    }

    fn send_encoded(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.is_lost {
            return Err(lost());
        }
        let mut since = None;
        loop {
            match self.link.send(bytes) {
                Ok(()) => return Ok(()),
                Err(SendError::Full) => {
                    if since.get_or_insert_with(Instant::now).elapsed() > self.limit {
                        return Err(self.timeout());
                    }
                    std::thread::yield_now();
                }
                Err(SendError::Closed) => return Err(self.closed()),
                Err(SendError::TooLong) => {
                    return Err(Failure::input("the request is longer than a message of the link"));
                }
            }
        }
    }

    fn receive(&mut self) -> Result<Frame<'_>, Failure> {
        match self.link.receive_within(&mut self.message, self.pace, self.limit) {
            Ok(true) => {}
            Ok(false) => return Err(self.timeout()),
            Err(_) => {
                self.is_lost = true;
                return Err(lost());
            }
        }
        let frame = Frame::decode(&self.message);
        if frame.is_err() {
            self.is_lost = true;
        }
        frame.map_err(|reason| violation(reason.0))
    }

    /// Returns the failure of a link that the server has closed, with the server's reason if it sent one.
    fn closed(&mut self) -> Failure {
        self.is_lost = true;
        match self.link.receive(&mut self.message) {
            Ok(true) => Frame::decode(&self.message).map_or_else(|_| lost(), |frame| unexpected(&frame)),
            Ok(false) | Err(_) => lost(),
        }
    }

    fn timeout(&mut self) -> Failure {
        self.is_lost = true;
        let message = "no answer in time; the request may have been executed, or may still be executed";
        Failure::with_code(Exit::Unreachable, "TIMEOUT", message)
    }
}

fn lost() -> Failure {
    let message = "the connection is lost; a request in flight may or may not have been executed";
    Failure::with_code(Exit::Unreachable, "LOST", message)
}

/// The last message of a connection that the server ended.
fn ended(reason: &[u8]) -> Failure {
    let reason = String::from_utf8_lossy(reason);
    let message = format!(
        "the server ended the connection: {reason}; a request in flight may or may not have been executed"
    );
    Failure::with_code(Exit::Unreachable, "LOST", message)
}

fn refused(reason: &[u8]) -> Failure {
    let reason = String::from_utf8_lossy(reason).into_owned();
    Failure::with_code(Exit::Refused, "REFUSED", format!("the server refused: {reason}"))
}

fn violation(what: &str) -> Failure {
    Failure::with_code(Exit::Tampered, "VIOLATION", format!("the server violated the protocol: {what}"))
}

fn unexpected(frame: &Frame<'_>) -> Failure {
    if let Frame::Refused { sequence: 0, reason } = frame {
        return ended(reason);
    }
    violation(match frame {
        Frame::Reply { .. } => "a reply to another request, or with an entry that is not above the last one",
        Frame::Refused { .. } => "a refusal of another request",
        Frame::Welcome { .. } | Frame::Challenge { .. } => "a second handshake",
        Frame::Learned(_) => "an answer to an announcement that was not sent",
        Frame::Receipt(_) => "a receipt that was not expected; is the server's key known?",
        _ => "a message that only clients send",
    })
}
