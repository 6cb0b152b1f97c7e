//! A client: sends a request to all replicas, and accepts the answer that f + 1 replicas gave. At least one of them is
//! correct, and executed the request in the common order.

use std::time::{Duration, Instant};

use quorate::ed25519::SecretKey;
use quorate::wire::{Decode, Encode};
use quorate_link::Link;

use super::answers::Answers;
use super::frames::decode_reply;
use super::group::{self, Group};
use super::handshake::{self, Ends, Hello, Party, Welcome};
use super::link;
use super::{Exit, Failure, OrFail, unix_micros};
use crate::{Answer, Operation, faulty};

/// Time limit for connecting to one replica.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);
/// Interval at which an unanswered request is sent again, and lost links are renewed.
const RESEND: Duration = Duration::from_millis(250);

/// A client. It belongs to one thread.
pub struct Client {
    group: Group,
    key: SecretKey,
    me: u16,
    links: Vec<Option<Link>>,
    /// Reason of the last failed connection to each replica.
    refused: Vec<Option<Failure>>,
    answers: Answers,
    last: u64,
    next_connect: Instant,
}

/// An accepted answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Number of the request.
    pub sequence: u64,
    /// The answer.
    pub answer: Answer,
    /// Replicas that gave the answer so far.
    pub replicas: Vec<u16>,
    /// Replicas that gave another answer to this request so far, or to an earlier one after it was accepted: they are faulty.
    /// [`Client::late_liars`] waits for the other replicas' answers.
    pub liars: Vec<u16>,
}

impl Client {
    /// Connects to the replicas that can be reached.
    ///
    /// # Errors
    /// [`Exit::Unreachable`] if fewer than f + 1 replicas accept the client.
    pub fn connect(group: &Group, key: SecretKey) -> Result<Self, Failure> {
        let me = group.client(&key)?;
        let count = group.endpoints.len();
        let mut client = Self {
            group: group.clone(),
            key,
            me,
            links: (0..count).map(|_| None).collect(),
            refused: vec![None; count],
            answers: Answers::new(faulty(group.committee.len())),
            last: 0,
            next_connect: Instant::now(),
        };
        client.reconnect();
        let connected = client.connected();
        if connected > client.faulty() {
            return Ok(client);
        }
        let reason = client.refused.iter().flatten().next().cloned();
        let reason = reason.map_or_else(String::new, |failure| format!(": {failure}"));
        let text = format!("{connected} replicas answer, {} are needed{reason}", client.faulty() + 1);
        Err(Failure::new(Exit::Unreachable, text))
    }

    /// Returns the number of replicas with a link.
    pub fn connected(&self) -> usize {
        self.links.iter().flatten().count()
    }

    fn faulty(&self) -> usize {
        faulty(self.group.committee.len())
    }

    /// Connects to the replicas without a link.
    fn reconnect(&mut self) {
        self.next_connect = Instant::now() + 2 * RESEND;
        for replica in 0..self.group.committee.len() {
            let at = usize::from(replica);
            if self.links.get(at).is_some_and(Option::is_none) {
                let connected = self.connect_to(replica);
                if let (Some(link), Some(refused)) = (self.links.get_mut(at), self.refused.get_mut(at)) {
                    (*link, *refused) = match connected {
                        Ok(connected) => (Some(connected), None),
                        Err(failure) => (None, Some(failure)),
                    };
                }
            }
        }
    }

    fn connect_to(&self, replica: u16) -> Result<Link, Failure> {
        let name = self.group.name(replica);
        connect_as(&self.group, replica, Party::Client(self.me), &self.key)
            .map_err(|failure| failure.at(name))
    }

    /// Sends an operation to all replicas, and waits until f + 1 of them give the same answer. Its number is the time in
    /// microseconds, or the next one after the last if the clock was set back while this client exists.
    ///
    /// # Errors
    /// [`Exit::Timeout`]; [`Exit::Outdated`] if a request with a higher number was executed, because the clock was set back before
    /// this client connected, or because another process uses the key. The operation may be executed nevertheless. The next call
    /// uses a higher number.
    pub fn call(&mut self, operation: Operation, limit: Duration) -> Result<Accepted, Failure> {
        // Ascending across restarts of the client.
        self.last = unix_micros().max(self.last + 1);
        self.call_numbered(self.last, operation, limit)
    }

    /// Like [`call`](Self::call) with a number of the caller's choice: the same number and operation again are not executed
    /// again, and get the same answer.
    ///
    /// # Errors
    /// [`Exit::Timeout`]; [`Exit::Outdated`].
    pub fn call_numbered(
        &mut self,
        sequence: u64,
        operation: Operation,
        limit: Duration,
    ) -> Result<Accepted, Failure> {
        let request = [&[0][..], &sequence.to_le_bytes(), &operation].concat();
        let began = Instant::now();
        let mut sent: Option<Instant> = None;
        let mut buffer = Vec::with_capacity(64);
        let mut rounds = 0u32;
        self.answers.begin(sequence);
        loop {
            rounds = rounds.wrapping_add(1);
            if rounds % 64 == 1 {
                let now = Instant::now();
                if now.duration_since(began) >= limit {
                    let text = format!(
                        "{} replicas answered, {} equal answers are needed; check that n − f replicas run",
                        self.answers.count(),
                        self.faulty() + 1
                    );
                    return Err(Failure::new(Exit::Timeout, text));
                }
                if sent.is_none_or(|sent| now.duration_since(sent) >= RESEND) {
                    if sent.is_some() && now >= self.next_connect {
                        self.reconnect();
                    }
                    self.send(&request);
                    sent = Some(now);
                }
            }
            if !self.receive(&mut buffer) {
                std::thread::yield_now();
                continue;
            }
            if let Some((answer, replicas)) = self.answers.accept() {
                return Ok(Accepted { sequence, answer, replicas, liars: self.answers.take_liars() });
            }
            if let Some(last) = self.answers.outdated() {
                self.last = self.last.max(last);
                return Err(outdated(sequence, last));
            }
        }
    }

    /// Waits until all connected replicas have answered the last request, at most for `limit`. Returns the replicas that gave
    /// another answer than the accepted one and were not reported before: they are faulty.
    pub fn late_liars(&mut self, limit: Duration) -> Vec<u16> {
        let began = Instant::now();
        let mut buffer = Vec::with_capacity(64);
        while began.elapsed() < limit {
            let mut linked = (0u16..).zip(&self.links).filter(|(_, link)| link.is_some());
            if linked.all(|(replica, _)| self.answers.has(replica)) {
                break;
            }
            if !self.receive(&mut buffer) {
                std::thread::yield_now();
            }
        }
        self.answers.take_liars()
    }

    /// A link that is full or closed is renewed later.
    fn send(&mut self, request: &[u8]) {
        for link in &mut self.links {
            if link.as_mut().is_some_and(|link| link.send(request).is_err()) {
                *link = None;
            }
        }
    }

    /// Receives at most one message of each replica. Returns true if there was one.
    fn receive(&mut self, buffer: &mut Vec<u8>) -> bool {
        let mut received = false;
        for (replica, slot) in (0u16..).zip(&mut self.links) {
            let Some(link) = slot else { continue };
            match link.receive(buffer) {
                Ok(false) => {}
                Ok(true) => {
                    received = true;
                    if let Some((sequence, reply)) = decode_reply(buffer) {
                        self.answers.note(replica, sequence, reply);
                    }
                }
                Err(_) => *slot = None,
            }
        }
        received
    }
}

fn outdated(sequence: u64, last: u64) -> Failure {
    let text = format!(
        "the request has number {sequence}, but number {last} of this client was executed: the clock was set back, or another \
         process uses the key; the request may have been executed before. End the other process or set the clock, look at the \
         state, and send the operation again if it is missing"
    );
    Failure::new(Exit::Outdated, text)
}

/// Connects to a replica as a party of the group.
///
/// # Errors
/// [`Exit::Unreachable`] with the code of a refusal.
pub fn connect_as(group: &Group, replica: u16, party: Party, key: &SecretKey) -> Result<Link, Failure> {
    let unreachable = |text: &str| Failure::new(Exit::Unreachable, text);
    let mut link =
        link::connect(group, replica, key, CONNECT_LIMIT).or_fail(Exit::Unreachable, "connecting")?;
    link.send(handshake::FIRST).or_fail(Exit::Unreachable, "handshake")?;
    let challenge = receive(&mut link)?;
    let challenge = challenge.as_slice().try_into().map_err(|_| unreachable("not a challenge"))?;
    let mut own = [0; 32];
    getrandom::fill(&mut own).or_fail(Exit::Failed, "random bytes")?;
    let (id, ends) = (group.committee.id(), Ends { connector: party, acceptor: replica });
    let signature = handshake::sign(key, &id, ends, false, [&challenge, &own]);
    let hello = Hello { party, challenge: own, signature };
    link.send(&hello.encode()).or_fail(Exit::Unreachable, "handshake")?;
    match Welcome::decode(&receive(&mut link)?, &()).or_fail(Exit::Unreachable, "handshake")? {
        Welcome::Accepted(signature) => {
            let key = group.committee.key(replica).ok_or_else(|| unreachable("no such replica"))?;
            handshake::verify(key, &id, ends, true, [&challenge, &own], &signature)
                .or_fail(Exit::Unreachable, "the replica does not hold its key")?;
            Ok(link)
        }
        Welcome::Refused(code) => Err(unreachable(&format!("refused: {code}"))),
    }
}

fn receive(link: &mut Link) -> Result<Vec<u8>, Failure> {
    let mut message = Vec::new();
    let received = link.receive_within(&mut message, quorate_link::Pace::Sleep, CONNECT_LIMIT);
    match received.or_fail(Exit::Unreachable, "handshake")? {
        true => Ok(message),
        false => Err(Failure::new(Exit::Unreachable, "handshake: no answer in time")),
    }
}

/// Loads a client's key and connects.
///
/// # Errors
/// Those of the files and of [`Client::connect`].
pub fn open(group: &std::path::Path, key: &std::path::PathBuf) -> Result<Client, Failure> {
    let group = Group::load(group)?;
    Client::connect(&group, group::load(key)?)
}
