//! A run that the page watches: the engine behind its Worker.

use core::time::Duration;

use quorate::bls::MinSig;
use quorate_jolteon::Status;
use quorate_jolteon::simulation::{JolteonHost, Material};
use quorate_simulator::{Fault, Node, Session};

use crate::json::{self, Json};
use crate::setup::{self, MAX_SCRIPT, Setup};
use crate::stage::Stage;

/// Each member seals a batch after about this long times the number of members: four batches a second, however many
/// members there are.
const PACE: Duration = Duration::from_millis(250);

/// A run. Everything is in virtual time; how fast it passes is up to whoever calls [`step`](World::step).
pub struct World {
    setup: Setup,
    session: Session<Stage>,
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
        let material = Material::<MinSig>::new(setup.nodes);
        let pace = PACE * u32::try_from(setup.nodes).unwrap_or(1);
        let host = JolteonHost::new(material.clone()).workload(pace, u64::MAX);
        let session = Session::new(setup.scenario(), Stage::new(host, material), setup.script.clone());
        let mut behaviours = vec![None; setup.nodes];
        for (node, behaviour) in &setup.byzantine {
            if let Some(place) = behaviours.get_mut(*node) {
                *place = Some(setup::behaviour_name(behaviour).to_owned());
            }
        }
        Ok(Self { setup, session, behaviours })
    }

    /// Carries out what is due next, if that is not later than `until` (µs). Answers whether there may be more to
    /// do: call it again. The history does not depend on how a run is cut into steps.
    pub fn step(&mut self, until: u64) -> bool {
        let until = Duration::from_micros(until);
        let before = self.done();
        let next = self.session.next_at();
        let goes_on = match next {
            Some(at) if at <= until => self.session.advance(at),
            _ => {
                self.session.advance(until);
                false
            }
        };
        self.tell(before);
        goes_on && !self.is_over()
    }

    /// When the next thing happens, µs.
    pub fn next_at(&self) -> Option<u64> {
        self.session.next_at().map(|at| at.as_micros() as u64)
    }

    /// Intervenes now, as [`setup::action`] describes.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn act(&mut self, text: &str) -> Result<(), String> {
        let fault = setup::action(text, self.setup.nodes)?;
        if self.session.script().len() >= MAX_SCRIPT {
            return Err(format!("a run takes {MAX_SCRIPT} interventions at most"));
        }
        let before = self.done();
        self.session.intervene(fault);
        self.tell(before);
        Ok(())
    }

    /// The link to this run up to now.
    pub fn link(&self) -> String {
        let seen = Some((self.session.now(), self.hash()));
        Setup { script: self.session.script().to_vec(), seen, ..self.setup.clone() }.to_string()
    }

    /// What identifies the history up to now.
    pub fn hash(&self) -> u64 {
        self.session.simulation().trace_hash()
    }

    /// The time now, µs.
    pub fn now(&self) -> u64 {
        self.session.now().as_micros() as u64
    }

    /// The highest block that any honest member committed.
    pub fn height(&self) -> u64 {
        self.session.simulation().host().height()
    }

    /// Whether nothing more happens: the longest time is reached, or something was violated.
    pub fn is_over(&self) -> bool {
        self.session.violation().is_some() || self.session.now() >= setup::LONGEST
    }

    /// Everything of the moment, as JSON.
    pub fn state(&self) -> String {
        let simulation = self.session.simulation();
        let nodes = simulation.nodes().map(|node| self.node(node));
        let metrics = simulation.metrics();
        let lost: u64 = metrics.lost.values().sum();
        let mut state = Json::object()
            .plain("now", self.now())
            .text("hash", format!("{:016x}", self.hash()))
            .plain("events", simulation.events())
            .plain("height", self.height())
            .plain("sent", metrics.sent())
            .plain("lost", lost)
            .plain("over", self.is_over())
            .plain("planned", self.session.script().len() - self.session.done())
            .list("nodes", nodes);
        if let Some(violation) = self.session.violation() {
            state = state.text("violation", violation.property).text("detail", shortened(&violation.detail));
        }
        state.end()
    }

    /// What happened since the last call, as JSON; the number of things that were not fetched in time.
    pub fn take_events(&mut self) -> (String, u64) {
        let gallery = &mut self.session.host_mut().gallery;
        let events = json::list(gallery.events.drain(..));
        (events, core::mem::take(&mut gallery.dropped))
    }

    /// Messages that left since the last call, six numbers each: sent and arrival (µs; −1 if lost), from, to, the tag
    /// on the wire (0: unreadable), and which of several proposals of one view it is.
    pub fn take_flights(&mut self) -> Vec<f64> {
        core::mem::take(&mut self.session.host_mut().gallery.flights)
    }

    fn done(&self) -> usize {
        self.session.done()
    }

    /// Tells the page about interventions that were carried out.
    fn tell(&mut self, before: usize) {
        let new: Vec<_> = self.session.script().get(before..self.session.done()).unwrap_or_default().to_vec();
        for scheduled in new {
            if let Fault::Turn { node, behaviour } = &scheduled.fault
                && let Some(place) = self.behaviours.get_mut(*node)
            {
                *place = Some(setup::behaviour_name(behaviour).to_owned());
            }
            let event = Json::object().text("e", "act").text("what", setup::action_name(&scheduled.fault));
            self.session.host_mut().gallery.note(scheduled.at.as_micros() as u64, event);
        }
    }

    fn node(&self, node: Node) -> String {
        let behaviour = self.behaviours.get(usize::from(node.member)).and_then(Option::as_deref);
        let metrics = self.session.simulation().metrics().nodes.get(node.slot).cloned().unwrap_or_default();
        let mut json = Json::object()
            .plain("slot", node.slot)
            .plain("member", node.member)
            .plain("honest", node.honest)
            .text("behaviour", behaviour.unwrap_or(""))
            .plain("crashes", metrics.crashes)
            .plain("records", metrics.records)
            .plain("progress", metrics.progress);
        if let Some(replica) = self.session.simulation().machine(node.slot) {
            let Status { view, leader, certified_view, committed, delivered, timeouts, catching_up, .. } =
                replica.status();
            json = json
                .plain("up", true)
                .plain("view", view)
                .plain("leader", leader)
                .plain("certified", certified_view)
                .plain("committed", committed)
                .plain("delivered", delivered)
                .plain("timeouts", timeouts)
                .plain("catchingUp", catching_up);
        } else {
            json = json.plain("up", false);
        }
        json.end()
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
