//! Events and messages that the page has not fetched yet.

use std::collections::BTreeSet;

use quorate::machine::Fault;
use quorate_simulator::{Node, Transmission};

use crate::json::Json;

/// Maximum number of waiting events and messages. Older ones are dropped and counted.
const MAX_WAITING: usize = 20_000;
/// Maximum number of remembered items of one kind; each item is shown once.
pub(crate) const MAX_SEEN: usize = 50_000;

/// Count of numbers per message: times of sending and arrival in µs (−1: lost), sender, receiver, and the two fields of
/// [`Kind`].
pub(crate) const FLIGHT: usize = 6;

/// Kind of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// Tag on the wire, or a number for a group of tags; 0 for undecodable messages.
    pub(crate) tag: u8,
    /// Variant within the kind, for instance 1 for a second proposal of one view.
    pub(crate) variant: usize,
}

/// Events and messages waiting for the page, and those that must not be shown again.
#[derive(Default)]
pub(crate) struct EventLog {
    pub(crate) events: Vec<String>,
    pub(crate) flights: Vec<f64>,
    /// Number of dropped items.
    pub(crate) dropped: u64,
    now: u64,
    accusations: BTreeSet<(u16, String)>,
    last: Option<(Vec<u8>, Kind)>,
}

impl EventLog {
    /// Sets the time of the following events.
    pub(crate) fn at(&mut self, now: u64) {
        self.now = now;
    }

    pub(crate) fn event(&mut self, event: Json) {
        if self.events.len() >= MAX_WAITING {
            self.events.clear();
            self.dropped += MAX_WAITING as u64;
        }
        self.events.push(event.plain("at", self.now).end());
    }

    /// Returns the kind of the last message if it is the same. A broadcast message is decoded once.
    pub(crate) fn kind_of_last(&self, bytes: &[u8]) -> Option<Kind> {
        self.last.as_ref().filter(|(last, _)| last == bytes).map(|(_, kind)| *kind)
    }

    pub(crate) fn flight(&mut self, flight: &Transmission<'_>, kind: Kind) {
        if self.kind_of_last(flight.bytes).is_none() {
            self.last = Some((flight.bytes.to_vec(), kind));
        }
        if self.flights.len() >= MAX_WAITING * FLIGHT {
            self.flights.clear();
            self.dropped += MAX_WAITING as u64;
        }
        let arrives = flight.arrives.map_or(-1.0, |at| at.0 as f64);
        self.flights.extend([
            flight.sent.0 as f64,
            arrives,
            flight.from.slot as f64,
            flight.to.slot as f64,
            f64::from(kind.tag),
            kind.variant as f64,
        ]);
    }

    /// Logs a fault that the auditor proved. The validators may not know it yet.
    pub(crate) fn proven(&mut self, culprit: u16, words: String) {
        let event = Json::object().text("e", "evidence").plain("node", -1).plain("culprit", culprit);
        self.event(event.text("kind", "proof").text("words", words));
    }

    /// Logs an honest member's accusation, with or without proof.
    pub(crate) fn accuse<E>(&mut self, by: Node, fault: &Fault<E>, charge: (&'static str, String)) {
        let (kind, words) = charge;
        if !by.honest || self.accusations.len() > MAX_SEEN {
            return;
        }
        if self.accusations.insert((fault.culprit, format!("{kind} {words}"))) {
            let event = Json::object().text("e", "evidence").plain("node", by.slot);
            self.event(event.plain("culprit", fault.culprit).text("kind", kind).text("words", words));
        }
    }
}

/// Returns `true` if an item is seen for the first time.
pub(crate) fn is_first<T: Ord>(seen: &mut BTreeSet<T>, what: T) -> bool {
    if seen.len() >= MAX_SEEN {
        seen.clear();
    }
    seen.insert(what)
}
