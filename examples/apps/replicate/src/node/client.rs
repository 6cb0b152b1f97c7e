//! A client: sends a request to all replicas, and accepts the answer that f + 1 replicas gave. At least one of them is
//! correct, and executed the request in the common order.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use quorate::ed25519::SecretKey;
use quorate::wire::{Decode, Encode};
use quorate_link::Link;

use super::group::{self, Group};
use super::handshake::{self, Ends, Hello, Party, Welcome};
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
    /// Replicas that gave another answer: they are faulty.
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
            last: 0,
            next_connect: Instant::now(),
        };
        client.reconnect();
        let connected = client.links.iter().flatten().count();
        if connected > client.faulty() {
            return Ok(client);
        }
        let reason = client.refused.iter().flatten().next().cloned();
        let reason = reason.map_or_else(String::new, |failure| format!(": {failure}"));
        let text = format!("{connected} replicas answer, {} are needed{reason}", client.faulty() + 1);
        Err(Failure::new(Exit::Unreachable, text))
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
        let endpoint = self.group.endpoints.get(usize::from(replica));
        let endpoint = endpoint.ok_or_else(|| Failure::new(Exit::Setup, "no address"))?;
        connect_as(&self.group, endpoint, replica, Party::Client(self.me), &self.key)
            .map_err(|failure| failure.at(name))
    }

    /// Sends an operation to all replicas, and waits until f + 1 of them give the same answer.
    ///
    /// # Errors
    /// [`Exit::Timeout`]. The operation may be executed nevertheless.
    pub fn call(&mut self, operation: Operation, limit: Duration) -> Result<Accepted, Failure> {
        // Ascending across restarts of the client.
        self.last = unix_micros().max(self.last + 1);
        self.call_numbered(self.last, operation, limit)
    }

    /// Like [`call`](Self::call) with a number of the caller's choice: the same number and operation again are not executed
    /// again, and get the same answer.
    ///
    /// # Errors
    /// [`Exit::Timeout`].
    pub fn call_numbered(
        &mut self,
        sequence: u64,
        operation: Operation,
        limit: Duration,
    ) -> Result<Accepted, Failure> {
        let request = [&[0][..], &sequence.to_le_bytes(), &operation].concat();
        let began = Instant::now();
        let mut sent: Option<Instant> = None;
        let mut answers: BTreeMap<u16, Answer> = BTreeMap::new();
        let mut buffer = Vec::with_capacity(64);
        let mut rounds = 0u32;
        loop {
            rounds = rounds.wrapping_add(1);
            if rounds % 64 == 1 {
                let now = Instant::now();
                if now.duration_since(began) >= limit {
                    let text = format!(
                        "{} replicas answered, {} equal answers are needed; check that n − f replicas run",
                        answers.len(),
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
            let before = answers.len();
            self.receive(sequence, &mut answers, &mut buffer);
            if answers.len() == before {
                std::thread::yield_now();
                continue;
            }
            let of = |answer: Answer| answers.iter().filter(move |(_, other)| **other == answer);
            let found = answers.values().find(|answer| of(**answer).count() > self.faulty());
            if let Some(answer) = found.copied() {
                let replicas = of(answer).map(|(replica, _)| *replica).collect();
                let liars = answers.iter().filter(|(_, other)| **other != answer);
                let liars = liars.map(|(replica, _)| *replica).collect();
                return Ok(Accepted { sequence, answer, replicas, liars });
            }
        }
    }

    /// A link that is full or closed is renewed later.
    fn send(&mut self, request: &[u8]) {
        for link in &mut self.links {
            if link.as_mut().is_some_and(|link| link.send(request).is_err()) {
                *link = None;
            }
        }
    }

    fn receive(&mut self, sequence: u64, answers: &mut BTreeMap<u16, Answer>, buffer: &mut Vec<u8>) {
        for (replica, slot) in (0u16..).zip(&mut self.links) {
            let Some(link) = slot else { continue };
            match link.receive(buffer) {
                Ok(false) => {}
                Ok(true) => {
                    if let Some((number, answer)) = decode_reply(buffer)
                        && number == sequence
                    {
                        answers.insert(replica, answer);
                    }
                }
                Err(_) => *slot = None,
            }
        }
    }
}

/// Connects to a replica as a party of the group.
///
/// # Errors
/// [`Exit::Unreachable`] with the code of a refusal.
pub fn connect_as(
    group: &Group,
    endpoint: &quorate_link::Endpoint,
    replica: u16,
    party: Party,
    key: &SecretKey,
) -> Result<Link, Failure> {
    let unreachable = |text: &str| Failure::new(Exit::Unreachable, text);
    let mut link = Link::connect(endpoint, CONNECT_LIMIT).or_fail(Exit::Unreachable, endpoint)?;
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

/// Decodes a frame with an answer: 0 ‖ sequence u64 ‖ answer 8.
fn decode_reply(frame: &[u8]) -> Option<(u64, Answer)> {
    let rest = frame.strip_prefix(&[0])?;
    let (sequence, answer) = rest.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*sequence), answer.try_into().ok()?))
}

/// Loads a client's key and connects.
///
/// # Errors
/// Those of the files and of [`Client::connect`].
pub fn open(group: &std::path::Path, key: &std::path::PathBuf) -> Result<Client, Failure> {
    let group = Group::load(group)?;
    Client::connect(&group, group::load(key)?)
}
