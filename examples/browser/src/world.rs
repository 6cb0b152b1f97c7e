//! A simulated run that the page displays: the engine of the page's Worker.

use core::time::Duration;

use quorate_simulator::{Fault, Node};

use crate::json::{self, Json};
use crate::run::ProtocolRun;
use crate::setup::{self, MAX_SCRIPT, Protocol, Setup};
use crate::{abft, gosig, jolteon};

/// A run in virtual time. The caller of [`step`](World::step) decides how fast time passes.
pub struct World {
    setup: Setup,
    run: Box<dyn ProtocolRun>,
    /// Current behaviour of Byzantine members, by slot.
    behaviours: Vec<Option<String>>,
}

impl World {
    /// Creates the run that a link describes (see [`Setup`]). Nothing is executed yet.
    ///
    /// # Errors
    /// A description of the invalid part of the link.
    pub fn new(link: &str) -> Result<Self, String> {
        let setup = Setup::parse(link)?;
        let run = match setup.protocol {
            Protocol::Jolteon => jolteon::run(&setup),
            Protocol::Gosig => gosig::run(&setup),
            Protocol::Abft => abft::run(&setup),
        };
        let mut behaviours = vec![None; setup.nodes];
        for (node, behaviour) in &setup.byzantine {
            if let Some(place) = behaviours.get_mut(*node) {
                *place = Some(setup::behaviour_name(behaviour).to_owned());
            }
        }
        Ok(Self { setup, run, behaviours })
    }

    /// Executes the events that are due next, up to `until` (µs). Returns `true` if more events may be due by then. The
    /// history does not depend on the division into steps.
    pub fn step(&mut self, until: u64) -> bool {
        let until = Duration::from_micros(until);
        let before = self.done();
        let next = self.run.next_at();
        let may_continue = match next {
            Some(at) if at <= until => self.run.advance(at),
            _ => {
                self.run.advance(until);
                false
            }
        };
        self.report_interventions(before);
        may_continue && !self.is_over()
    }

    /// Returns the time of the next event, in µs.
    pub fn next_at(&self) -> Option<u64> {
        self.run.next_at().map(|at| at.as_micros() as u64)
    }

    /// Intervenes now, as described at [`setup::action`].
    ///
    /// # Errors
    /// The invalid part of the text.
    pub fn act(&mut self, text: &str) -> Result<(), String> {
        let fault = setup::action(text, self.setup.protocol, self.setup.nodes)?;
        if self.run.script().len() >= MAX_SCRIPT {
            return Err(format!("too many interventions: at most {MAX_SCRIPT} are allowed"));
        }
        let before = self.done();
        self.run.intervene(fault);
        self.report_interventions(before);
        Ok(())
    }

    /// Returns the link to this run up to now.
    pub fn link(&self) -> String {
        let seen = Some((self.run.now(), self.hash()));
        Setup { script: self.run.script().to_vec(), seen, ..self.setup.clone() }.to_string()
    }

    /// Returns the hash of the history up to now.
    pub fn hash(&self) -> u64 {
        self.run.hash()
    }

    /// Returns the current time in µs.
    pub fn now(&self) -> u64 {
        self.run.now().as_micros() as u64
    }

    /// Returns the highest height committed by an honest member.
    pub fn height(&self) -> u64 {
        self.run.height()
    }

    /// Returns `true` if the run has ended: its maximum duration is reached, or a property is violated.
    pub fn is_over(&self) -> bool {
        self.run.violation().is_some() || self.run.now() >= setup::MAX_DURATION
    }

    /// Returns the current state as JSON.
    pub fn state(&self) -> String {
        let nodes = self.run.nodes().into_iter().map(|node| self.node(node));
        let metrics = self.run.metrics();
        let lost: u64 = metrics.lost.values().sum();
        let mut state = Json::object()
            .plain("now", self.now())
            .text("hash", format!("{:016x}", self.hash()))
            .plain("events", self.run.events())
            .plain("height", self.height())
            .text("protocol", self.setup.protocol.name())
            .plain("sent", metrics.sent())
            .plain("bytes", metrics.sent_bytes())
            .plain("lost", lost)
            .plain("over", self.is_over())
            .plain("planned", self.run.script().len() - self.run.done())
            .list("nodes", nodes);
        state = self.run.protocol_state(state);
        if let Some(violation) = self.run.violation() {
            state = state.text("violation", violation.property).text("detail", shortened(&violation.detail));
        }
        state.end()
    }

    /// Returns the events since the last call as JSON, and the number of dropped items.
    pub fn take_events(&mut self) -> (String, u64) {
        let event_log = self.run.event_log();
        let events = json::list(event_log.events.drain(..));
        (events, core::mem::take(&mut event_log.dropped))
    }

    /// Returns the messages sent since the last call, six numbers each: times of sending and arrival (µs; −1 if
    /// lost), sender, receiver, the tag on the wire or a number for a group of tags (0: undecodable), and the variant, for
    /// instance of several proposals in one view.
    pub fn take_flights(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.run.event_log().flights)
    }

    fn done(&self) -> usize {
        self.run.done()
    }

    /// Logs executed interventions.
    fn report_interventions(&mut self, before: usize) {
        let new: Vec<_> = self.run.script().get(before..self.run.done()).unwrap_or_default().to_vec();
        for scheduled in new {
            if let Fault::Turn { node, behaviour } = &scheduled.fault
                && let Some(place) = self.behaviours.get_mut(*node)
            {
                *place = Some(setup::behaviour_name(behaviour).to_owned());
            }
            let event = Json::object().text("e", "act").text("what", setup::action_name(&scheduled.fault));
            let event_log = self.run.event_log();
            event_log.at(scheduled.at.as_micros() as u64);
            event_log.event(event);
        }
    }

    fn node(&self, node: Node) -> String {
        let behaviour = self.behaviours.get(usize::from(node.member)).and_then(Option::as_deref);
        let metrics = self.run.metrics().nodes.get(node.slot).cloned().unwrap_or_default();
        let json = Json::object()
            .plain("slot", node.slot)
            .plain("member", node.member)
            .plain("honest", node.honest)
            .text("behaviour", behaviour.unwrap_or(""))
            .plain("crashes", metrics.crashes)
            .plain("records", metrics.records)
            .plain("progress", metrics.progress)
            .plain("bytes", metrics.sent_bytes);
        self.run.describe(node.slot, json).end()
    }
}

/// Replaces lists of bytes in a text by the first four bytes in hexadecimal.
fn shortened(detail: &str) -> String {
    let mut words = String::new();
    let mut rest = detail;
    while let Some((before, list)) = rest.split_once('[') {
        let (list, after) = list.split_once(']').unwrap_or((list, ""));
        let bytes: Vec<u8> = list.split(", ").map_while(|byte| byte.parse().ok()).collect();
        words.push_str(before);
        bytes.iter().take(4).for_each(|byte| words.push_str(&format!("{byte:02x}")));
        rest = after;
    }
    words + rest
}

#[cfg(test)]
mod tests {
    #[test]
    fn digests_are_shortened() {
        let detail = "node 0 delivered ([162, 67, 60, 199, 181], [82, 26, 225, 255, 1]), node 3 ([15])";
        assert_eq!(super::shortened(detail), "node 0 delivered (a2433cc7, 521ae1ff), node 3 (0f)");
        assert_eq!(super::shortened("plain"), "plain");
    }
}
