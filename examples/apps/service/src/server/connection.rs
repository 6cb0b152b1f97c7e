//! A client's connection: authentication, then announcements and requests.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate_audit::failure::Failure;
use quorate_audit::log::{LogWriter, NewEntry};
use quorate_audit::refusals::{Refusal, RefusalLog};
use quorate_audit::signed::{SignedCommand, verify_eddsa};
use quorate_link::{Closed, Link};

use super::admission::{Client, Rules};
use super::announcements::{Announcement, Announcements};
use super::log_failure::unwritten;
use super::receipts::Receipts;
use crate::frame::{self, Frame};
use crate::receipt::Receipt;
use crate::{Engine, Origin};

/// The parts of the server that its connections share.
pub(super) struct Context<E> {
    pub(super) rules: Rules,
    pub(super) clients: Vec<Client>,
    pub(super) log: LogWriter,
    pub(super) state: E,
    /// Signs the answers, if the engine's answers are signed.
    pub(super) receipts: Option<Receipts>,
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
    /// The message that is sent, and the receipt that follows it.
    out: Vec<u8>,
    receipt: Vec<u8>,
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
/// Room for a request and its receipt.
const NEXT: u64 = 1 << 12;

impl Connection {
    pub(super) fn new(link: Link, id: u64) -> Self {
        Self {
            link,
            id,
            phase: Phase::New,
            began: Instant::now(),
            announced: 0,
            out: Vec::new(),
            receipt: Vec::new(),
        }
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
    pub(super) fn handle<E: Engine>(
        &mut self,
        message: &[u8],
        context: &mut Context<E>,
    ) -> Result<bool, Failure> {
        let frame = match Frame::decode(message) {
            Ok(frame) => frame,
            Err(reason) => return Ok(self.violation(context, reason.0, message)),
        };
        match (self.phase, frame) {
            (Phase::Authenticated(client), Frame::Request(body)) => self.request(client, body, context),
            (Phase::Authenticated(client), Frame::Announcement(bytes)) => {
                Ok(self.announcement(client, bytes, context))
            }
            (Phase::New, Frame::Hello { protocol, signer }) if *protocol == E::PROTOCOL => {
                Ok(self.hello(*signer, context))
            }
            (Phase::New, Frame::Hello { .. }) => {
                Ok(self.violation(context, "another protocol or version", message))
            }
            (Phase::Challenged { signer, challenge }, Frame::Proof(signature)) => {
                Ok(self.authenticate(&signer, &challenge, signature, context))
            }
            _ => Ok(self.violation(context, "unexpected message", message)),
        }
    }

    /// Logs a request, executes it and answers it, in this order. Then signs the answer and logs the receipt.
    fn request<E: Engine>(
        &mut self,
        client: usize,
        body: &[u8],
        context: &mut Context<E>,
    ) -> Result<bool, Failure> {
        let signed = match SignedCommand::decode(body) {
            Ok(signed) => signed,
            Err(reason) => return Ok(self.violation(context, reason.0, body)),
        };
        let Some(owner) = context.clients.get_mut(client) else { return Ok(false) };
        let signer = *owner.key.as_bytes();
        if let Some(executed) = context.plain.as_mut() {
            let Ok(command) = E::decode(signed.command) else { return Ok(false) };
            *executed += 1;
            let origin = Origin { entry: *executed, signer };
            return Ok(self.reply(&origin, &signed, &command, &mut context.state));
        }
        let now = quorate_audit::now();
        let command = match owner.accept::<E>(&context.rules, now, &signed) {
            Ok(command) => command,
            Err(refusal) => return Ok(self.refuse(context, &refusal, signed.sequence, body)),
        };
        let new = NewEntry { received: now.0, signer, body };
        let entry = context.log.append_unsealed(new).map_err(unwritten)?;
        let origin = Origin { entry, signer };
        let mut goes_on = self.reply(&origin, &signed, &command, &mut context.state);
        if let Some(receipts) = context.receipts.as_mut() {
            let answer = self.out.get(frame::REPLY_HEADER..).unwrap_or_default();
            let (sequence, command) = (signed.sequence, signed.command);
            let receipt = Receipt { entry, signer, sequence, command, answer };
            receipts.append(&mut context.log, now, &receipt, &mut self.receipt)?;
        }
        context.log.seal().map_err(unwritten)?;
        if context.receipts.is_some() {
            // Before the receipt is sent, because its client sends the next request then.
            context.log.make_room(NEXT);
            goes_on = goes_on && self.link.send(&self.receipt).is_ok();
        }
        Ok(goes_on)
    }

    /// Executes a request and answers it.
    fn reply<E: Engine>(
        &mut self,
        origin: &Origin,
        signed: &SignedCommand<'_>,
        command: &E::Command<'_>,
        state: &mut E,
    ) -> bool {
        frame::begin_reply(signed.sequence, origin.entry, &mut self.out);
        state.execute(origin, command, &mut self.out);
        self.link.send(&self.out).is_ok()
    }

    fn announcement<E>(&mut self, client: usize, bytes: &[u8], context: &mut Context<E>) -> bool {
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
    pub(super) fn learned<E>(&mut self, error: Option<quorate::Error>, context: &mut Context<E>) {
        self.announced = self.announced.saturating_sub(1);
        if let Some(error) = &error {
            self.record(context, &Refusal::new("BAD_ANNOUNCEMENT", error.to_string()), 0, &[]);
        }
        // If the client does not read, its next request ends the connection.
        self.send(&Frame::Learned(error.is_none()));
    }

    fn hello<E: Engine>(&mut self, signer: [u8; 32], context: &mut Context<E>) -> bool {
        let mut challenge = [0; 32];
        if getrandom::fill(&mut challenge).is_err() {
            return false;
        }
        self.phase = Phase::Challenged { signer, challenge };
        self.send(&Frame::Challenge {
            protocol: &E::PROTOCOL,
            store: &context.rules.store,
            challenge: &challenge,
        })
    }

    fn authenticate<E: Engine>(
        &mut self,
        signer: &[u8; 32],
        challenge: &[u8; 32],
        signature: &[u8; 64],
        context: &mut Context<E>,
    ) -> bool {
        let found = context.clients.iter().enumerate().find(|(_, client)| client.key.as_bytes() == signer);
        let refusal = match found {
            None => Refusal::new("UNKNOWN_SIGNER", "this key is not in the server's configuration"),
            Some((index, client)) => {
                let message = E::application().hello(&context.rules.store, challenge, signer);
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
    fn violation<E>(&mut self, context: &Context<E>, reason: &str, message: &[u8]) -> bool {
        let refusal = Refusal::new("BAD_FRAME", reason);
        self.record(context, &refusal, 0, message);
        self.send_refusal(&refusal, 0);
        false
    }

    fn refuse<E>(&mut self, context: &Context<E>, refusal: &Refusal, sequence: u64, refused: &[u8]) -> bool {
        self.record(context, refusal, sequence, refused);
        self.send_refusal(refusal, sequence)
    }

    fn send_refusal(&mut self, refusal: &Refusal, sequence: u64) -> bool {
        let reason = format!("{} {}", refusal.code, refusal.message);
        self.send(&Frame::Refused { sequence, reason: reason.as_bytes() })
    }

    fn record<E>(&self, context: &Context<E>, refusal: &Refusal, sequence: u64, refused: &[u8]) {
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
