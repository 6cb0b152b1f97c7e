//! A client's connection: authentication, then announcements and requests.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::log::{LogWriter, NewEntry};
use quorate_audit::refusals::{Refusal, RefusalLog};
use quorate_audit::signed::{SignedCommand, verify_eddsa};
use quorate_link::{Closed, Link};

use super::admission::{Client, Rules};
use super::announcements::{Announcement, Announcements};
use crate::KV;
use crate::command::{Command, Outcome, Store};
use crate::frame::Frame;

/// The parts of the server that its connections share.
pub(super) struct Context {
    pub(super) rules: Rules,
    pub(super) clients: Vec<Client>,
    pub(super) log: LogWriter,
    pub(super) store: Store,
    pub(super) announcements: Announcements,
    pub(super) refusals: Arc<RefusalLog>,
    /// For measurements: the number of requests that were executed without a log.
    pub(super) plain: Option<u64>,
}

/// A connection.
pub(super) struct Connection {
    link: Link,
    id: u64,
    phase: Phase,
    began: Instant,
    /// Number of announcements that wait for the background thread.
    announced: usize,
    /// The message that is sent.
    out: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Phase {
    /// Nothing was received.
    New,
    /// The client has to prove that it holds the key.
    Challenged { signer: [u8; 32], challenge: [u8; 32] },
    /// Index of the client.
    Authenticated(usize),
}

/// Time limit for authentication.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

impl Connection {
    pub(super) fn new(link: Link, id: u64) -> Self {
        Self { link, id, phase: Phase::New, began: Instant::now(), announced: 0, out: Vec::new() }
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Returns the index of the client, if it has authenticated.
    pub(super) fn client(&self) -> Option<usize> {
        match self.phase {
            Phase::Authenticated(client) => Some(client),
            Phase::New | Phase::Challenged { .. } => None,
        }
    }

    /// Returns true if the client does not authenticate in time.
    pub(super) fn is_overdue(&self) -> bool {
        self.client().is_none() && self.began.elapsed() > HANDSHAKE_TIMEOUT
    }

    pub(super) fn awaits_keys(&self) -> bool {
        self.announced > 0
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }

    pub(super) fn receive(&mut self, message: &mut Vec<u8>) -> Result<bool, Closed> {
        self.link.receive(message)
    }

    /// Handles a message and returns true if the connection continues. A client that does not read its answers is
    /// disconnected.
    pub(super) fn handle(&mut self, message: &[u8], context: &mut Context) -> Result<bool, Failure> {
        let frame = match Frame::decode(message) {
            Ok(frame) => frame,
            Err(reason) => return Ok(self.violation(context, reason.0, message)),
        };
        match (self.phase, frame) {
            (Phase::Authenticated(client), Frame::Request(body)) => self.request(client, body, context),
            (Phase::Authenticated(client), Frame::Announcement(bytes)) => {
                Ok(self.announcement(client, bytes, context))
            }
            (Phase::New, Frame::Hello(signer)) => Ok(self.hello(*signer, context)),
            (Phase::Challenged { signer, challenge }, Frame::Proof(signature)) => {
                Ok(self.authenticate(&signer, &challenge, signature, context))
            }
            _ => Ok(self.violation(context, "unexpected message", message)),
        }
    }

    /// Logs a request, executes it and answers it, in this order.
    fn request(&mut self, client: usize, body: &[u8], context: &mut Context) -> Result<bool, Failure> {
        let signed = match SignedCommand::decode(body) {
            Ok(signed) => signed,
            Err(reason) => return Ok(self.violation(context, reason.0, body)),
        };
        if let Some(executed) = context.plain.as_mut() {
            let Ok(command) = Command::decode(signed.command) else { return Ok(false) };
            *executed += 1;
            let entry = *executed;
            return Ok(reply(&mut self.link, &mut self.out, &signed, entry, context.store.execute(&command)));
        }
        let now = quorate_audit::now();
        let Some(owner) = context.clients.get_mut(client) else { return Ok(false) };
        let command = match owner.accept(&context.rules, now, &signed) {
            Ok(command) => command,
            Err(refusal) => return Ok(self.refuse(context, &refusal, signed.sequence, body)),
        };
        let new = NewEntry { received: now.0, signer: *owner.key.as_bytes(), body };
        let entry = context.log.append_unsealed(new).or_fail(Exit::Failed, "writing the log")?;
        let outcome = context.store.execute(&command);
        let goes_on = reply(&mut self.link, &mut self.out, &signed, entry, outcome);
        context.log.seal();
        Ok(goes_on)
    }

    fn announcement(&mut self, client: usize, bytes: &[u8], context: &mut Context) -> bool {
        let Some(owner) = context.clients.get_mut(client) else { return false };
        let refusal = match owner.admit(bytes, quorate_audit::now()) {
            Err(error) => Refusal::new("BAD_ANNOUNCEMENT", error.to_string()),
            Ok((suite, work)) => {
                let announcement = Announcement { client, connection: self.id, suite, work };
                if context.announcements.submit(announcement) {
                    self.announced += 1;
                    return true;
                }
                Refusal::new("RATE_LIMITED", "too many announcements wait")
            }
        };
        self.record(context, &refusal, 0, bytes);
        self.send(&Frame::Learned(false))
    }

    /// Answers an announcement that the background thread has verified.
    pub(super) fn learned(&mut self, error: Option<quorate::Error>, context: &mut Context) {
        self.announced = self.announced.saturating_sub(1);
        if let Some(error) = &error {
            self.record(context, &Refusal::new("BAD_ANNOUNCEMENT", error.to_string()), 0, &[]);
        }
        // If the client does not read, its next request ends the connection.
        self.send(&Frame::Learned(error.is_none()));
    }

    fn hello(&mut self, signer: [u8; 32], context: &mut Context) -> bool {
        let mut challenge = [0; 32];
        if getrandom::fill(&mut challenge).is_err() {
            return false;
        }
        self.phase = Phase::Challenged { signer, challenge };
        self.send(&Frame::Challenge { store: &context.rules.store, challenge: &challenge })
    }

    fn authenticate(
        &mut self,
        signer: &[u8; 32],
        challenge: &[u8; 32],
        signature: &[u8; 64],
        context: &mut Context,
    ) -> bool {
        let found = context.clients.iter().enumerate().find(|(_, client)| client.key.as_bytes() == signer);
        let refusal = match found {
            None => Refusal::new("UNKNOWN_SIGNER", "this key is not in the server's configuration"),
            Some((index, client)) => {
                let message = KV.hello(&context.rules.store, challenge, signer);
                if verify_eddsa(&client.key, &message, signature).is_ok() {
                    self.phase = Phase::Authenticated(index);
                    let last = client.last;
                    return self.send(&Frame::Welcome { last });
                }
                Refusal::new("IMPOSTOR", "the connection does not hold the key that it names")
            }
        };
        let named = Some(hex::encode(signer));
        context.refusals.record_unauthenticated(self.peer(), named, &refusal, signature);
        self.send_refusal(&refusal, 0);
        false
    }

    /// Tells the client that its new connection replaces this one, which ends.
    pub(super) fn supersede(&mut self) {
        self.send_refusal(&Refusal::new("SUPERSEDED", "the client has opened a new connection"), 0);
    }

    /// Refuses the message and ends the connection.
    fn violation(&mut self, context: &Context, reason: &str, message: &[u8]) -> bool {
        let refusal = Refusal::new("BAD_FRAME", reason);
        self.record(context, &refusal, 0, message);
        self.send_refusal(&refusal, 0);
        false
    }

    fn refuse(&mut self, context: &Context, refusal: &Refusal, sequence: u64, refused: &[u8]) -> bool {
        self.record(context, refusal, sequence, refused);
        self.send_refusal(refusal, sequence)
    }

    fn send_refusal(&mut self, refusal: &Refusal, sequence: u64) -> bool {
        let reason = format!("{} {}", refusal.code, refusal.message);
        self.send(&Frame::Refused { sequence, reason: reason.as_bytes() })
    }

    fn record(&self, context: &Context, refusal: &Refusal, sequence: u64, refused: &[u8]) {
        match self.phase {
            Phase::Authenticated(client) => {
                let name = context.clients.get(client).map(|client| client.name.clone());
                context.refusals.record(self.peer(), name, refusal, sequence, refused);
            }
            _ => context.refusals.record_unauthenticated(self.peer(), None, refusal, refused),
        }
    }

    fn peer(&self) -> String {
        format!("connection {}", self.id)
    }

    fn send(&mut self, frame: &Frame<'_>) -> bool {
        frame.encode_into(&mut self.out);
        self.link.send(&self.out).is_ok()
    }
}

fn reply(
    link: &mut Link,
    out: &mut Vec<u8>,
    signed: &SignedCommand<'_>,
    entry: u64,
    outcome: Outcome<'_>,
) -> bool {
    let (found, value) = (outcome.found, outcome.value);
    Frame::Reply { sequence: signed.sequence, entry, found, value }.encode_into(out);
    link.send(out).is_ok()
}
