//! The links of a replica: handshakes, acceptance of strangers, connections to other replicas.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use quorate::wire::{Decode, Encode};
use quorate_broadcast::authentication::Authentication;

use super::super::connection::{Connection, Phase};
use super::super::frames::new_challenge;
use super::super::handshake::{self, Ends, Hello, Party, Welcome};
use super::super::link;
use super::dialer::{Pause, RECONNECT};
use super::{Event, Server};
use crate::application::Application;

/// Maximum number of clients with a link.
const MAX_CLIENTS: usize = 256;
/// Limit of a client's message.
const CLIENT_LIMIT: usize = 64;
/// Maximum number of links that have not authenticated.
const MAX_STRANGERS: usize = 64;
/// Maximum number of links that are accepted at once: creating one takes about a millisecond.
const MAX_ACCEPTED: usize = 8;
/// Maximum pause between two attempts to connect to a replica that does not answer, and time limit of one attempt.
const MAX_PAUSE: Duration = Duration::from_secs(4);
const CONNECT_LIMIT: Duration = Duration::from_millis(50);

impl<A: Authentication, P: Application> Server<A, P> {
    /// Continues the handshake of a connection.
    pub(super) fn shake_hands(&mut self, at: usize, frame: &[u8]) {
        let id = self.group.committee.id();
        let is_full = Hello::decode(frame, &()).is_ok_and(|hello| self.is_full_for(hello.party));
        let Some(connection) = self.connections.get_mut(at) else { return };
        let refused = match connection.phase {
            Phase::New => {
                let Ok(challenge) = new_challenge() else { return connection.close() };
                connection.send_plain(&challenge);
                connection.phase = Phase::Accepted(challenge);
                return;
            }
            Phase::Accepted(challenge) => {
                let Ok(hello) = Hello::decode(frame, &()) else { return connection.close() };
                let ends = Ends { connector: hello.party, acceptor: self.me };
                let key = match hello.party {
                    Party::Replica(index) if index > self.me => self.group.committee.key(index),
                    Party::Replica(_) => None,
                    Party::Client(index) => self.group.clients.get(usize::from(index)),
                };
                let challenges = [&challenge, &hello.challenge];
                let verified =
                    key.map(|key| handshake::verify(key, &id, ends, false, challenges, &hello.signature));
                let code = match verified {
                    Some(Ok(())) if is_full => "BUSY",
                    Some(Ok(())) => {
                        let signature = handshake::sign(&self.key, &id, ends, true, challenges);
                        connection.send_plain(&Welcome::Accepted(signature).encode());
                        connection.phase = Phase::Open(hello.party);
                        if let Party::Client(_) = hello.party {
                            connection.limit = CLIENT_LIMIT;
                        }
                        return self.supersede(at, hello.party);
                    }
                    Some(Err(_)) => "IMPOSTOR",
                    None => "UNKNOWN",
                };
                connection.send_plain(&Welcome::Refused(code.to_owned()).encode());
                Event::Refused { code, claimed: hello.party }
            }
            Phase::Connected(peer) => {
                let (Ok(challenge), Ok(own)) = (frame.try_into(), new_challenge()) else {
                    return connection.close();
                };
                let ends = Ends { connector: Party::Replica(self.me), acceptor: peer };
                let signature = handshake::sign(&self.key, &id, ends, false, [&challenge, &own]);
                let hello = Hello { party: ends.connector, challenge: own, signature };
                connection.send_plain(&hello.encode());
                connection.phase = Phase::Answered(peer, [challenge, own]);
                return;
            }
            Phase::Answered(peer, [challenge, own]) => {
                let ends = Ends { connector: Party::Replica(self.me), acceptor: peer };
                let key = self.group.committee.key(peer);
                if let (Some(key), Ok(Welcome::Accepted(signature))) = (key, Welcome::decode(frame, &()))
                    && handshake::verify(key, &id, ends, true, [&challenge, &own], &signature).is_ok()
                {
                    connection.phase = Phase::Open(Party::Replica(peer));
                    return self.supersede(at, Party::Replica(peer));
                }
                Event::Refused { code: "IMPOSTOR", claimed: Party::Replica(peer) }
            }
            Phase::Open(_) => return,
        };
        connection.close();
        self.events.push(refused);
    }

    /// Closes the earlier connections of a party: its process was restarted.
    fn supersede(&mut self, new: usize, party: Party) {
        for (at, connection) in self.connections.iter_mut().enumerate() {
            if at != new && connection.phase == Phase::Open(party) {
                connection.close();
            }
        }
        // What was sent before the link existed is repeated; a new peer knows no keys of this replica.
        if let (Party::Replica(_), Some(connection)) = (party, self.connections.get_mut(new)) {
            connection.send(&crate::Message::<A::Signature>::Hello.encode());
        }
    }

    /// Returns true if a party is a client for which there is no place beside the others.
    fn is_full_for(&self, party: Party) -> bool {
        let phases = self.connections.iter().map(|connection| connection.phase);
        let others = phases
            .filter(|phase| matches!(phase, Phase::Open(Party::Client(_))) && *phase != Phase::Open(party));
        matches!(party, Party::Client(_)) && others.count() >= MAX_CLIENTS
    }

    /// Accepts links. The oldest one that has not authenticated gives way to a new one: strangers keep no party of the group away.
    pub(super) fn accept(&mut self) {
        let limit = self.machine.limits().message();
        let is_stranger = |c: &Connection| matches!(c.phase, Phase::New | Phase::Accepted(_));
        for _ in 0..MAX_ACCEPTED {
            let Some(link) = self.acceptor.accept() else { break };
            if self.connections.iter().filter(|c| is_stranger(c)).count() >= MAX_STRANGERS
                && let Some(oldest) = self.connections.iter().position(is_stranger)
            {
                self.connections.remove(oldest);
            }
            self.connections.push(Connection::new(link, Phase::New, limit));
        }
    }

    /// Connects to the replicas with a lower index that have no link. At most one of them, which is stopped, delays this replica by
    /// [`CONNECT_LIMIT`]; it is left alone for a growing time.
    pub(super) fn connect(&mut self) {
        let now = Instant::now();
        if now < self.dialer.next {
            return;
        }
        self.dialer.next = now + RECONNECT;
        let limit = self.machine.limits().message();
        for (peer, pause) in (0..self.me).zip(&mut self.dialer.pauses) {
            let has = |connection: &Connection| match connection.phase {
                Phase::Connected(other) | Phase::Answered(other, _) => other == peer,
                phase => phase == Phase::Open(Party::Replica(peer)),
            };
            if pause.until > now || self.connections.iter().any(has) {
                continue;
            }
            match link::connect(&self.group, peer, &self.key, CONNECT_LIMIT) {
                Ok(link) => {
                    *pause = Pause { until: now, length: RECONNECT };
                    let mut connection = Connection::new(link, Phase::Connected(peer), limit);
                    connection.send_plain(handshake::FIRST);
                    self.connections.push(connection);
                }
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    pause.length = (2 * pause.length).min(MAX_PAUSE);
                    pause.until = now + pause.length;
                    break;
                }
                // Its process does not run, or the link failed at once.
                Err(_) => {}
            }
        }
    }
}
