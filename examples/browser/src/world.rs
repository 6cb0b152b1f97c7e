//! A run that the page watches: the engine behind its Worker.

use core::time::Duration;

use quorate_simulator::{Fault, Node};

use crate::json::{self, Json};
use crate::run::ProtocolRun;
use crate::setup::{self, MAX_SCRIPT, Protocol, Setup};
use crate::{gosig, jolteon};

/// A run. Everything is in virtual time; how fast it passes is up to whoever calls [`step`](World::step).
pub struct World {
    setup: Setup,
    run: Box<dyn ProtocolRun>,
    /// What the members became, for the page: by slot, honest members have none.
    behaviours: Vec<Option<String>>,
}

impl World {
    /// The run that a link describes (see [`Setup`]). Nothing has happened yet, whatever the script says.
    ///
    /// # Errors
    /// What is wrong with the link, in words.
    pub fn new(link: &str) -> Result<Self, String> {
        let setup = Setup::parse(link)?;
        let run = match setup.protocol {
            Protocol::Jolteon => jolteon::run(&setup),
            Protocol::Gosig => gosig::run(&setup),
        };
        let mut behaviours = vec![None; setup.nodes];
        for (node, behaviour) in &setup.byzantine {
            if let Some(place) = behaviours.get_mut(*node) {
                *place = Some(setup::behaviour_name(behaviour).to_owned());
            }
        }
        Ok(Self { setup, run, behaviours })
    }

    /// Carries out what is due next, if that is not later than `until` (µs). Answers whether there may be more to
    /// do: call it again. The history does not depend on how a run is cut into steps.
    pub fn step(&mut self, until: u64) -> bool {
        let until = Duration::from_micros(until);
        let before = self.done();
        let next = self.run.next_at();
        let goes_on = match next {
            Some(at) if at <= until => self.run.advance(at),
            _ => {
                self.run.advance(until);
                false
            }
        };
        self.report_interventions(before);
        goes_on && !self.is_over()
    }

    /// When the next thing happens, µs.
    pub fn next_at(&self) -> Option<u64> {
        self.run.next_at().map(|at| at.as_micros() as u64)
    }

    /// Intervenes now, as [`setup::action`] describes.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn act(&mut self, text: &str) -> Result<(), String> {
        let fault = setup::action(text, self.setup.protocol, self.setup.nodes)?;
        if self.run.script().len() >= MAX_SCRIPT {
            return Err(format!("a run takes {MAX_SCRIPT} interventions at most"));
        }
        let before = self.done();
        self.run.intervene(fault);
        self.report_interventions(before);
        Ok(())
    }

    /// The link to this run up to now.
    pub fn link(&self) -> String {
        let seen = Some((self.run.now(), self.hash()));
        Setup { script: self.run.script().to_vec(), seen, ..self.setup.clone() }.to_string()
    }

    /// What identifies the history up to now.
    pub fn hash(&self) -> u64 {
        self.run.hash()
    }

    /// The time now, µs.
    pub fn now(&self) -> u64 {
        self.run.now().as_micros() as u64
    }

    /// The highest block that any honest member committed.
    pub fn height(&self) -> u64 {
        self.run.height()
    }

    /// Whether nothing more happens: the longest time is reached, or something was violated.
    pub fn is_over(&self) -> bool {
        self.run.violation().is_some() || self.run.now() >= setup::LONGEST
    }

    /// Everything of the moment, as JSON.
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

    /// What happened since the last call, as JSON; the number of things that were not fetched in time.
    pub fn take_events(&mut self) -> (String, u64) {
        let event_log = self.run.event_log();
        let events = json::list(event_log.events.drain(..));
        (events, core::mem::take(&mut event_log.dropped))
    }

    /// Messages that left since the last call, six numbers each: sent and arrival (µs; −1 if lost), from, to, the tag
    /// on the wire (0: unreadable), and which of several proposals of one view it is.
    pub fn take_flights(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.run.event_log().flights)
    }

    fn done(&self) -> usize {
        self.run.done()
    }

    /// Tells the page about interventions that were carried out.
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

/// Words without the long lists of bytes in them: of a digest its beginning is enough.
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
