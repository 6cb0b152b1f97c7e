use quorate_support::say;
use serde::Serialize;

use super::agreement::Contradiction;
use super::child::Usage;
use crate::commands::member::Begun;
use crate::exit::{Exit, Failure};
use crate::load::LoadReport;

/// How a testnet went: what `--json` prints.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub nodes: usize,
    pub protocol: String,
    pub scheme: &'static str,
    /// Transactions per second that fell due; 0 without a load.
    pub rate: f64,
    /// Bytes of a transaction, if they are random.
    pub tx_size: Option<u32>,
    #[serde(flatten)]
    pub load: Option<LoadReport>,
    /// Height of the newest block.
    pub height: u64,
    /// Blocks per second during the load.
    pub blocks_per_second: f64,
    /// Size of the newest quorum certificate.
    pub certificate_bytes: u32,
    /// The most views that one validator gave up during the load.
    pub timeouts: u64,
    pub events: Vec<Event>,
    /// Changes of the members, in the order in which they were asked for.
    pub changes: Vec<MemberChange>,
    pub agreement: AgreementReport,
    /// By validator, in order; `None` for those that are down.
    pub usage: Vec<Option<NodeUsage>>,
    /// Validators that ended by themselves, with what they logged last.
    pub crashed: Vec<String>,
    pub directory: String,
}

/// A kill or a restart.
#[derive(Debug, Serialize)]
pub(crate) struct Event {
    pub node: usize,
    pub killed_at: f64,
    pub restarted_at: Option<f64>,
    /// How long after its restart it had all blocks of the moment of its restart.
    pub caught_up_after: Option<f64>,
}

/// A validator that joined or left. Times are those of the looks, twice a second, at which it was noticed.
#[derive(Debug, Serialize)]
pub(crate) struct MemberChange {
    pub node: usize,
    /// `join` or `leave`.
    pub change: &'static str,
    /// When it was asked for, in seconds since the load began.
    pub asked_at: f64,
    /// The epoch that it began.
    pub epoch: Option<u64>,
    /// The height of that epoch's first block.
    pub first_height: Option<u64>,
    /// How long after that the members had allowed it, the chain had committed it, and the epoch had begun.
    pub begun_after: Option<f64>,
    /// How long after it was asked for the validator had caught up and took part, or had stopped.
    pub done_after: Option<f64>,
}

/// Whether all delivered the same.
#[derive(Debug, Serialize)]
pub(crate) struct AgreementReport {
    pub heights: u64,
    pub validators: usize,
    pub contradictions: Vec<Contradiction>,
}

/// What a validator used during the load.
#[derive(Debug, Serialize)]
pub(crate) struct NodeUsage {
    /// Of one core.
    pub cpu_percent: f64,
    pub peak_mib: f64,
}

impl NodeUsage {
    pub(crate) fn between(before: Usage, after: Usage, seconds: f64) -> Self {
        let cpu = (after.cpu_seconds - before.cpu_seconds) / seconds.max(1e-3) * 100.0;
        Self { cpu_percent: (cpu * 10.0).round() / 10.0, peak_mib: after.peak_mib }
    }
}

impl Report {
    /// In words.
    pub(crate) fn print(&self, verdict: &str) {
        if let Some(load) = &self.load {
            load.print();
        }
        say!(
            "blocks      {} ({:.1} per second), quorum certificates of {} bytes",
            quorate_support::count(self.height),
            self.blocks_per_second,
            self.certificate_bytes
        );
        say!("timeouts    {}", self.timeouts);
        for event in &self.events {
            say!("validator {} {}", event.node, event.words());
        }
        for change in &self.changes {
            say!("{}", change.words());
        }
        let used: Vec<&NodeUsage> = self.usage.iter().flatten().collect();
        if !used.is_empty() {
            let mean = used.iter().map(|u| u.cpu_percent).sum::<f64>() / used.len() as f64;
            let peak = used.iter().map(|u| u.peak_mib).fold(0.0, f64::max);
            say!("processor   {mean:.1} % of a core per validator on average, memory up to {peak:.0} MiB");
        }
        say!("agreement   {verdict}");
    }

    /// What of this is a failure.
    pub(crate) fn judge(&self, verdict: &str) -> Result<(), Failure> {
        if !self.agreement.contradictions.is_empty() {
            return Err(Failure::new(Exit::Contradiction, verdict));
        }
        if let Some(crash) = self.crashed.first() {
            return Err(Failure::new(Exit::Crashed, crash.clone()));
        }
        if self.load.as_ref().is_some_and(|load| load.submitted > 0 && load.committed == 0) {
            return Err(Failure::new(Exit::Failed, "the network committed nothing"));
        }
        if let Some(change) = self.changes.iter().find(|change| change.done_after.is_none()) {
            return Err(Failure::new(Exit::Failed, change.words()));
        }
        match self.events.iter().find(|event| event.restarted_at.is_some() && event.caught_up_after.is_none())
        {
            Some(event) => {
                let text = format!("validator {} was restarted and had not caught up at the end", event.node);
                Err(Failure::new(Exit::Failed, text))
            }
            None => Ok(()),
        }
    }
}

impl MemberChange {
    /// That has just been asked for.
    pub(crate) fn asked(node: usize, change: &'static str, asked_at: f64) -> Self {
        let (begun_after, done_after) = (None, None);
        Self { node, change, asked_at, epoch: None, first_height: None, begun_after, done_after }
    }

    /// The epoch that it begins has begun.
    pub(crate) fn begun(&mut self, begun: Begun, at: f64) {
        self.epoch = Some(begun.epoch);
        self.first_height = Some(begun.first_height);
        self.begun_after = Some(at - self.asked_at);
    }

    /// In one sentence.
    pub(crate) fn words(&self) -> String {
        let joins = self.change == "join";
        let mut text = format!("validator {} was to {} at {:.1} s", self.node, self.change, self.asked_at);
        match (self.epoch, self.first_height, self.begun_after) {
            (Some(epoch), Some(height), Some(after)) => {
                text.push_str(&format!(": after {after:.1} s epoch {epoch} had begun with block {height}"));
            }
            _ => text.push_str(": no epoch has begun with that"),
        }
        match self.done_after {
            Some(after) => {
                let done = if joins { "took part" } else { "had stopped" };
                text.push_str(&format!(", and after {after:.1} s it {done}"));
            }
            None => text.push_str(if joins {
                ", and it takes no part yet"
            } else {
                ", and it has not stopped yet"
            }),
        }
        text
    }
}

impl Event {
    fn words(&self) -> String {
        match (self.restarted_at, self.caught_up_after) {
            (None, _) => format!("killed at {:.1} s", self.killed_at),
            (Some(at), None) => {
                format!(
                    "was killed at {:.1} s, restarted at {at:.1} s, and has not caught up",
                    self.killed_at
                )
            }
            (Some(at), Some(after)) => format!(
                "killed at {:.1} s, restarted at {at:.1} s, caught up {after:.1} s later",
                self.killed_at
            ),
        }
    }
}
