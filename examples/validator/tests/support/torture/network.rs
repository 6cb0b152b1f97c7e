//! A chain under load and faults, and its checks.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::thread;

use quorate_support::rng::SplitMix64;
use serde_json::Value;

use super::client::Client;
use super::control::{Control, compile};
use super::load::{Acknowledged, Load};
use crate::support::chain::{Chain, FOUNDERS};
use crate::support::{eventually, get};

/// Texts that no log of a correct validator contains: two contradicting signatures, commits or states, or a defect.
pub(super) const VIOLATIONS: [&str; 7] = [
    "EQUIVOCATION",
    "EVIDENCE",
    "CONFLICTING_COMMIT",
    "STATE_ROOT",
    "STATE DIVERGENCE",
    "CORRUPT",
    "panicked",
];

/// A chain of four validators under load and faults.
pub struct Torture {
    pub(super) protocol: &'static str,
    pub(super) random: SplitMix64,
    pub(super) chain: Chain,
    pub(super) controls: BTreeMap<&'static str, Control>,
    pub(super) load: Load,
    /// Number of acknowledged transactions that were found on all validators.
    compared: usize,
    /// Length of each log that was searched for violations.
    searched: BTreeMap<&'static str, u64>,
    pub(super) cycles: usize,
}

impl Torture {
    /// Starts the chain and the load. `seed` selects the faults, their victims and their extent.
    pub fn start(protocol: &'static str, seed: u64) -> Self {
        let mut chain = Chain::new(protocol);
        let library = compile(&chain.sandbox);
        let mut controls = BTreeMap::new();
        for name in FOUNDERS {
            let control = Control::new(&chain.sandbox, &library, name);
            chain.start_with(name, |command| control.attach(command));
            controls.insert(name, control);
        }
        FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
        let load = Load::start(FOUNDERS.into_iter().map(|name| (name, chain.node(name))));
        Self {
            protocol,
            random: SplitMix64::new(seed),
            chain,
            controls,
            load,
            compared: 0,
            searched: BTreeMap::new(),
            cycles: 0,
        }
    }

    /// Ends the load, and finds every transaction that was ever acknowledged on all validators.
    pub fn finish(&mut self) -> String {
        self.load.stop();
        self.compared = 0;
        self.compare_acknowledged();
        self.chain.compare_states();
        self.check_safety();
        assert!(self.compared > 0, "no transaction was acknowledged");
        format!(
            "{}: {} cycles, height {}, {} transactions acknowledged and found on all validators, 0 lost, no contradiction",
            self.protocol,
            self.cycles,
            self.height(),
            self.compared
        )
    }

    /// Finds the transactions acknowledged since the last comparison on all validators, at the same height, and the values of
    /// the newest ones. Answers with values wait for a proof, which takes a block or two, so not all values are read: the
    /// validators compare the roots of their states with each block.
    pub fn compare_acknowledged(&mut self) {
        let acknowledged = self.load.acknowledged_since(self.compared);
        find_on_all(&self.chain, &FOUNDERS, &acknowledged);
        self.compared += acknowledged.len();
    }

    /// Decides whether the directory of the chain is kept, and returns it.
    pub fn keep_directory(&mut self, kept: bool) -> PathBuf {
        self.chain.sandbox.keep(kept);
        self.chain.sandbox.path("")
    }

    pub(super) fn start_validator(&mut self, name: &'static str) {
        let control = &self.controls[name];
        self.chain.start_with(name, |command| control.attach(command));
    }

    /// A random number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.random.next_u64() % end as u64) as usize
    }

    pub(super) fn status(&self, name: &str) -> Option<Value> {
        Client::new(&self.chain.node(name)).get("/v1/status").ok().map(|(_, status)| status)
    }

    pub(super) fn height_of(&self, name: &str) -> Option<u64> {
        self.status(name)?["executed_height"].as_u64()
    }

    /// The greatest height of the validators that answer and of which `wanted` is true.
    fn height_among(&self, wanted: impl Fn(&str) -> bool) -> u64 {
        let heights = FOUNDERS.iter().filter(|name| wanted(name)).filter_map(|name| self.height_of(name));
        heights.max().unwrap_or_default()
    }

    fn height(&self) -> u64 {
        self.height_among(|_| true)
    }

    /// Waits until the validators other than `victim` have committed this number of further blocks.
    pub(super) fn grow_without(&self, victim: &str, blocks: u64) {
        let height = || self.height_among(|name| name != victim);
        let end = height() + blocks;
        eventually("the other validators commit", || height() >= end);
    }

    /// Waits until a validator has committed this number of further blocks.
    pub(super) fn grow(&self, name: &str, blocks: u64) {
        let mut end = None;
        eventually(&format!("{name} commits"), || {
            self.height_of(name).is_some_and(|height| height >= *end.get_or_insert(height + blocks))
        });
    }

    /// Waits until all validators have a further block.
    pub(super) fn grow_all(&self) {
        let end = self.height() + 1;
        let has_grown = |name: &&str| self.height_of(name).is_some_and(|height| height >= end);
        eventually("all validators commit", || FOUNDERS.iter().all(has_grown));
    }

    /// Waits until a validator participates and has all blocks that were committed when the wait began.
    pub(super) fn wait_for(&self, name: &str) {
        let height = self.height();
        eventually(&format!("{name} has caught up and participates"), || {
            self.status(name).is_some_and(|status| {
                status["executed_height"].as_u64() >= Some(height)
                    && status["syncing"] == Value::Bool(false)
                    && status["abstention"] == Value::Null
            })
        });
    }

    /// Checks that no validator has found, or made, two contradicting signatures, commits or states.
    pub(super) fn check_safety(&mut self) {
        for name in FOUNDERS {
            let log = self.new_log_of(name);
            let violation = log.lines().find(|line| VIOLATIONS.iter().any(|text| line.contains(text)));
            assert_eq!(violation, None, "in the log of {name}");
            let data = self.chain.sandbox.path(&format!("{name}/data"));
            let evidence = std::fs::read_dir(data.join("evidence")).into_iter().flatten().flatten().next();
            assert!(evidence.is_none(), "{name} has evidence: {evidence:?}");
            let metrics = get(&self.chain.node(name), "/metrics");
            assert!(metrics.contains("quorate_height"), "{metrics}");
            let mut faults = metrics.lines().filter(|line| line.starts_with("quorate_faults"));
            let fault = faults.find(|line| VIOLATIONS.iter().any(|text| line.contains(text)));
            assert_eq!(fault, None, "in the metrics of {name}");
        }
    }

    /// The lines that a validator has logged since the last call.
    fn new_log_of(&mut self, name: &'static str) -> String {
        let mut log = std::fs::File::open(self.chain.sandbox.path(&format!("{name}/log.txt"))).unwrap();
        let searched = self.searched.entry(name).or_default();
        log.seek(SeekFrom::Start(*searched)).unwrap();
        let mut text = Vec::new();
        log.read_to_end(&mut text).unwrap();
        // The end of the last line may be missing.
        let length = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        *searched += length as u64;
        String::from_utf8_lossy(&text[..length]).into_owned()
    }
}

/// Finds acknowledged transactions on validators, at the same height, and the newest values.
pub(super) fn find_on_all(chain: &Chain, validators: &[&'static str], acknowledged: &[Acknowledged]) {
    let newest = |by: &&str| acknowledged.iter().rfind(|one| one.by == *by);
    let newest: Vec<_> = validators.iter().filter_map(newest).collect();
    thread::scope(|scope| {
        for name in validators {
            let mut validator = Validator { name, client: Client::new(&chain.node(name)) };
            let newest = &newest;
            scope.spawn(move || {
                acknowledged.iter().for_each(|one| validator.find_transaction(one));
                newest.iter().for_each(|one| validator.find_value(one));
            });
        }
    });
}

/// A validator that must have what others acknowledged.
struct Validator {
    name: &'static str,
    client: Client,
}

impl Validator {
    /// Expects a transaction in the block in which it was acknowledged.
    fn find_transaction(&mut self, one: &Acknowledged) {
        let name = self.name;
        let mut found = None;
        eventually(&format!("{name} has {one:?}"), || {
            found = self.client.transaction(&one.id);
            found.is_some()
        });
        let found = found.unwrap();
        let place = (found["height"].as_u64(), found["block"].as_str());
        assert_eq!(place, (Some(one.height), Some(one.block.as_str())), "{name}: {one:?}");
        assert_eq!(found["transaction"], one.transaction(), "{name}: {one:?}");
    }

    /// Expects the value that a transaction has written. No other transaction has its key.
    fn find_value(&mut self, one: &Acknowledged) {
        let path = format!("/v1/ledger/{}?encoding=hex", hex::encode(&one.key));
        let (_, answer) = self.client.get(&path).unwrap();
        assert_eq!(answer["value"], hex::encode(&one.value), "{}: {one:?}", self.name);
    }
}
