//! Trace of a run: a hash over all events and, on request, the last entries or every entry.

use core::fmt::{self, Debug, Write};
use std::collections::VecDeque;

use quorate::machine::{MemberIndex, Recipient, Time};

use crate::hash::TraceHash;
use crate::links::Loss;

/// Maximum length of an entry's detail, in bytes.
const MAX_DETAIL_LEN: usize = 200;

/// An entry of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// Simulator time of the event.
    pub at: Time,
    /// The node concerned; `None` if the event concerns all nodes.
    pub node: Option<usize>,
    /// Kind of the event.
    pub kind: EventKind,
    /// The message, timer, command, output or fault, truncated to one line.
    pub detail: String,
}

/// Kinds of trace entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The node started.
    Started {
        /// Number of records it started from.
        records: usize,
    },
    /// The node crashed.
    Crashed,
    /// A message arrived.
    Received {
        /// The sender's slot.
        from: usize,
        /// Length of the message.
        bytes: usize,
    },
    /// The receiver failed to decode a message.
    Refused {
        /// The sender's slot.
        from: usize,
        /// Length of the message.
        bytes: usize,
    },
    /// A timer fired.
    Timer,
    /// The machine received a command.
    Command,
    /// Records became durable.
    Persisted {
        /// Number of records.
        records: usize,
    },
    /// The node sent a message.
    Sent {
        /// The receiver; `None` for all other members.
        to: Option<MemberIndex>,
        /// Length of the message.
        bytes: usize,
    },
    /// A message was lost.
    Lost {
        /// The receiver's slot.
        to: usize,
        /// Reason of the loss.
        why: Loss,
    },
    /// The machine produced an output.
    Output,
    /// The machine accused a member.
    Accused {
        /// The accused member.
        culprit: MemberIndex,
    },
    /// A scheduled fault occurred.
    Fault,
}

impl EventKind {
    fn code(&self) -> u64 {
        match *self {
            EventKind::Started { records } => 1 | (records as u64) << 8,
            EventKind::Crashed => 2,
            EventKind::Received { from, .. } => 3 | (from as u64) << 8,
            EventKind::Refused { from, .. } => 4 | (from as u64) << 8,
            EventKind::Timer => 5,
            EventKind::Command => 6,
            EventKind::Persisted { records } => 7 | (records as u64) << 8,
            EventKind::Sent { .. } => 8,
            EventKind::Lost { to, .. } => 9 | (to as u64) << 8,
            EventKind::Output => 10,
            EventKind::Accused { culprit } => 11 | u64::from(culprit) << 8,
            EventKind::Fault => 12,
        }
    }
}

impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>13} ", format!("{}.{:06}s", self.at.0 / 1_000_000, self.at.0 % 1_000_000))?;
        match self.node {
            Some(node) => write!(f, "node {node:<3} ")?,
            None => write!(f, "         ")?,
        }
        match self.kind {
            EventKind::Started { records } => write!(f, "starts from {records} records")?,
            EventKind::Crashed => write!(f, "crashes")?,
            EventKind::Received { from, bytes } => write!(f, "<- {from} ({bytes} B)")?,
            EventKind::Refused { from, bytes } => write!(f, "refuses <- {from} ({bytes} B)")?,
            EventKind::Timer => write!(f, "timer")?,
            EventKind::Command => write!(f, "command")?,
            EventKind::Persisted { records } => write!(f, "persists {records} records")?,
            EventKind::Sent { to: Some(to), bytes } => write!(f, "-> {to} ({bytes} B)")?,
            EventKind::Sent { to: None, bytes } => write!(f, "-> all ({bytes} B)")?,
            EventKind::Lost { to, why } => write!(f, "lost on the way to {to} ({why:?})")?,
            EventKind::Output => write!(f, "output")?,
            EventKind::Accused { culprit } => write!(f, "accuses {culprit}")?,
            EventKind::Fault => write!(f, "fault")?,
        }
        if self.detail.is_empty() { Ok(()) } else { write!(f, " {}", self.detail) }
    }
}

/// Callback for trace entries.
pub type TraceObserver = Box<dyn FnMut(&TraceEntry)>;

/// The trace of a run in progress.
pub(crate) struct Trace {
    hash: TraceHash,
    keep: usize,
    last: VecDeque<TraceEntry>,
    pub(crate) observer: Option<TraceObserver>,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self { hash: TraceHash::new(), keep: 0, last: VecDeque::new(), observer: None }
    }

    pub(crate) fn keep(&mut self, entries: usize) {
        self.keep = entries;
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash.value()
    }

    pub(crate) fn take_last(&mut self) -> Vec<TraceEntry> {
        self.last.drain(..).collect()
    }

    /// Records an event that contributes to the trace hash. `content` represents the detail in the hash, so that the
    /// hash does not depend on whether details are formatted.
    pub(crate) fn event(
        &mut self,
        at: u64,
        node: Option<usize>,
        kind: EventKind,
        content: u64,
        detail: &dyn Debug,
    ) {
        self.hash.add(at);
        self.hash.add(node.map_or(u64::MAX, |node| node as u64));
        self.hash.add(kind.code());
        self.hash.add(content);
        self.observe(at, node, kind, detail);
    }

    /// Records an entry that follows from others and does not contribute to the trace hash.
    pub(crate) fn observe(&mut self, at: u64, node: Option<usize>, kind: EventKind, detail: &dyn Debug) {
        if self.keep == 0 && self.observer.is_none() {
            return;
        }
        let entry = TraceEntry { at: Time(at), node, kind, detail: line(detail) };
        if let Some(observer) = &mut self.observer {
            observer(&entry);
        }
        if self.keep > 0 {
            if self.last.len() == self.keep {
                self.last.pop_front();
            }
            self.last.push_back(entry);
        }
    }
}

/// A detail without text.
pub(crate) struct NoDetail;

impl Debug for NoDetail {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// Formats the beginning of a value's `Debug` form. Formatting stops at the limit, so that a large value costs one
/// line.
fn line(value: &dyn Debug) -> String {
    let mut line = Line(String::new());
    if write!(line, "{value:?}").is_err() {
        line.0.push('…');
    }
    line.0
}

struct Line(String);

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_DETAIL_LEN.saturating_sub(self.0.len());
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        let cut = (0..=room).rev().find(|cut| text.is_char_boundary(*cut)).unwrap_or(0);
        self.0.push_str(text.get(..cut).unwrap_or(""));
        Err(fmt::Error)
    }
}

/// Returns the single receiver of a message, if any.
pub(crate) fn receiver(to: Recipient) -> Option<MemberIndex> {
    match to {
        Recipient::One(member) => Some(member),
        Recipient::Others => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_depend_on_the_entries_kept() {
        let (mut bare, mut full) = (Trace::new(), Trace::new());
        full.keep(2);
        for trace in [&mut bare, &mut full] {
            for i in 0..3 {
                trace.event(i, Some(1), EventKind::Timer, i, &i);
            }
        }
        assert_eq!(bare.hash(), full.hash());
        assert_eq!(bare.take_last(), []);
        let details: Vec<String> = full.take_last().into_iter().map(|entry| entry.detail).collect();
        assert_eq!(details, ["1", "2"]);
    }

    #[test]
    fn a_long_detail_is_cut_at_a_character_boundary() {
        let cut = line(&"é".repeat(1_000));
        assert!(cut.ends_with('…') && cut.len() <= MAX_DETAIL_LEN + 3, "{}", cut.len());
    }
}
