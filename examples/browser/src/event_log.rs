//! What the page has not fetched yet: what happened, and which messages left.

use std::collections::BTreeSet;

use quorate::machine::Fault;
use quorate_simulator::{Node, Transmission};

use crate::json::Json;

/// So many events and flights wait for the page at most; older ones are dropped, and counted.
const MOST_WAITING: usize = 20_000;
/// So many things of one kind are remembered as seen; each is shown once.
pub(crate) const MOST_SEEN: usize = 50_000;

/// Numbers for each flight: sent and arrival in µs (−1: lost), from, to, and the two of [`Kind`].
pub(crate) const FLIGHT: usize = 6;

/// What kind of message a flight is, as the page knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The tag on the wire; 0 for what cannot be read.
    pub(crate) tag: u8,
    /// Which of the messages of that kind it is: a second proposal of one view is number 1.
    pub(crate) variant: usize,
}

/// What waits, and what was shown already.
#[derive(Default)]
pub(crate) struct EventLog {
    pub(crate) events: Vec<String>,
    pub(crate) flights: Vec<f64>,
    /// What was dropped because the page did not fetch it.
    pub(crate) dropped: u64,
    now: u64,
    accusations: BTreeSet<(u16, String)>,
    last: Option<(Vec<u8>, Kind)>,
}

impl EventLog {
    /// What happens from here on happens at this time.
    pub(crate) fn at(&mut self, now: u64) {
        self.now = now;
    }

    pub(crate) fn event(&mut self, event: Json) {
        if self.events.len() >= MOST_WAITING {
            self.events.clear();
            self.dropped += MOST_WAITING as u64;
        }
        self.events.push(event.plain("at", self.now).end());
    }

    /// The kind of a message that is the same as the last one: what is sent to several is looked at once.
    pub(crate) fn kind_of_last(&self, bytes: &[u8]) -> Option<Kind> {
        self.last.as_ref().filter(|(last, _)| last == bytes).map(|(_, kind)| *kind)
    }

    pub(crate) fn flight(&mut self, flight: &Transmission<'_>, kind: Kind) {
        if self.kind_of_last(flight.bytes).is_none() {
            self.last = Some((flight.bytes.to_vec(), kind));
        }
        if self.flights.len() >= MOST_WAITING * FLIGHT {
            self.flights.clear();
            self.dropped += MOST_WAITING as u64;
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

    /// What the auditor can prove. The validators may not know it, or not yet.
    pub(crate) fn proven(&mut self, culprit: u16, words: String) {
        let event = Json::object().text("e", "evidence").plain("node", -1).plain("culprit", culprit);
        self.event(event.text("kind", "proof").text("words", words));
    }

    /// What an honest member holds against another: proof that anybody can check, or only its word.
    pub(crate) fn accuse<E>(&mut self, by: Node, fault: &Fault<E>, charge: (&'static str, String)) {
        let (kind, words) = charge;
        if !by.honest || self.accusations.len() > MOST_SEEN {
            return;
        }
        if self.accusations.insert((fault.culprit, format!("{kind} {words}"))) {
            let event = Json::object().text("e", "evidence").plain("node", by.slot);
            self.event(event.plain("culprit", fault.culprit).text("kind", kind).text("words", words));
        }
    }
}

/// Whether something is seen for the first time.
pub(crate) fn is_first<T: Ord>(seen: &mut BTreeSet<T>, what: T) -> bool {
    if seen.len() >= MOST_SEEN {
        seen.clear();
    }
    seen.insert(what)
}
