use std::collections::BTreeMap;

use quorate_support::outln;
use serde::Serialize;

use super::agreement::Contradiction;
use super::child::Usage;
use crate::commands::member::Begun;
use crate::exit::{Exit, Failure};
use crate::load::LoadReport;

/// Report of a testnet run, as printed by `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub nodes: usize,
    pub protocol: String,
    pub scheme: &'static str,
    /// Offered transactions per second; 0 without a load.
    pub rate: f64,
    /// Size of a random transaction in bytes; `None` for a file.
    pub tx_size: Option<u32>,
    #[serde(flatten)]
    pub load: Option<LoadReport>,
    /// Height of the newest block.
    pub height: u64,
    /// Blocks per second during the load.
    pub blocks_per_second: f64,
    /// Size of the newest quorum certificate.
    pub certificate_bytes: u32,
    /// Maximum number of view timeouts of a validator during the load.
    pub timeouts: u64,
    pub events: Vec<Event>,
    /// Membership changes in the order of their requests.
    pub changes: Vec<MemberChange>,
    pub agreement: AgreementReport,
    /// Usage by validator; `None` if it is down.
    pub usage: Vec<Option<NodeUsage>>,
    /// Validators that ended unexpectedly, with the end of their logs.
    pub crashed: Vec<String>,
    pub directory: String,
}

/// A kill or a restart.
#[derive(Debug, Serialize)]
pub(crate) struct Event {
    pub node: usize,
    pub killed_at: f64,
    pub restarted_at: Option<f64>,
    /// Seconds from the restart until the validator had all blocks of the time of its restart.
    pub caught_up_after: Option<f64>,
}

/// A validator that joined or left. Times have the resolution of the polls, half a second.
#[derive(Debug, Serialize)]
pub(crate) struct MemberChange {
    pub node: usize,
    /// `join` or `leave`.
    pub change: &'static str,
    /// Time of the request in seconds since the start of the load.
    pub asked_at: f64,
    /// The epoch that the change started.
    pub epoch: Option<u64>,
    /// The height of that epoch's first block.
    pub first_height: Option<u64>,
    /// Seconds from the request until the epoch had begun: approval, commit and handover.
    pub begun_after: Option<f64>,
    /// Seconds from the request until the validator voted (join) or had stopped (leave).
    pub done_after: Option<f64>,
}

/// Comparison of the delivered blocks of all validators.
#[derive(Debug, Serialize)]
pub(crate) struct AgreementReport {
    pub heights: u64,
    pub validators: usize,
    pub contradictions: Vec<Contradiction>,
}

/// Resource usage of a validator during the load.
#[derive(Debug, Serialize)]
pub(crate) struct NodeUsage {
    /// Percentage of one core.
    pub cpu_percent: f64,
    pub peak_mib: f64,
    /// Processor time in seconds, by the names of threads; empty where the kernel keeps none.
    pub threads: BTreeMap<String, f64>,
}

impl NodeUsage {
    pub(crate) fn between(before: &Usage, after: &Usage, seconds: f64) -> Self {
        let cpu = (after.cpu_seconds - before.cpu_seconds) / seconds.max(1e-3) * 100.0;
        let used = |(name, time): (&String, &f64)| {
            let time = (time - before.threads.get(name).copied().unwrap_or_default()).max(0.0);
            (name.clone(), (time * 1e6).round() / 1e6)
        };
        let threads = after.threads.iter().map(used).collect();
        Self { cpu_percent: (cpu * 10.0).round() / 10.0, peak_mib: after.peak_mib, threads }
    }
}

impl Report {
    /// Prints the report.
    pub(crate) fn print(&self, verdict: &str) {
        if let Some(load) = &self.load {
            load.print();
        }
        outln!(
            "blocks      {} ({:.1} per second), quorum certificates of {} bytes",
            quorate_support::terminal::count(self.height),
            self.blocks_per_second,
            self.certificate_bytes
        );
        outln!("timeouts    {}", self.timeouts);
        for event in &self.events {
            outln!("validator {} {}", event.node, event.words());
        }
        for change in &self.changes {
            outln!("{}", change.words());
        }
        let used: Vec<&NodeUsage> = self.usage.iter().flatten().collect();
        if !used.is_empty() {
            let mean = used.iter().map(|u| u.cpu_percent).sum::<f64>() / used.len() as f64;
            let peak = used.iter().map(|u| u.peak_mib).fold(0.0, f64::max);
            outln!("processor   {mean:.1} % of a core per validator on average, memory up to {peak:.0} MiB");
        }
        outln!("agreement   {verdict}");
    }

    /// Returns the failure that the report shows, if any.
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
    /// Creates the record of a request.
    pub(crate) fn requested(node: usize, change: &'static str, asked_at: f64) -> Self {
        let (begun_after, done_after) = (None, None);
        Self { node, change, asked_at, epoch: None, first_height: None, begun_after, done_after }
    }

    /// Records that the new epoch has begun.
    pub(crate) fn begun(&mut self, begun: Begun, at: f64) {
        self.epoch = Some(begun.epoch);
        self.first_height = Some(begun.first_height);
        self.begun_after = Some(at - self.asked_at);
    }

    /// Returns a one-sentence description.
    pub(crate) fn words(&self) -> String {
        let joins = self.change == "join";
        let mut text =
            format!("validator {} requested to {} at {:.1} s", self.node, self.change, self.asked_at);
        match (self.epoch, self.first_height, self.begun_after) {
            (Some(epoch), Some(height), Some(after)) => {
                text.push_str(&format!(": epoch {epoch} began with block {height} after {after:.1} s"));
            }
            _ => text.push_str(": the change has started no epoch yet"),
        }
        match self.done_after {
            Some(after) => {
                let done = if joins { "votes" } else { "has stopped" };
                text.push_str(&format!(", and it {done} after {after:.1} s"));
            }
            None => text.push_str(if joins {
                ", and it does not vote yet"
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
