//! The results of the rounds of a program.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::chart::Bar;
use crate::row::figure;
use crate::sampling::median;

/// The 99th percentile of the requests that began between the timer ticks of the cores. Some programs state it.
pub(super) const BETWEEN_TICKS: &str = "p99_between_ticks";

/// Percentiles of a result.
pub(super) const PERCENTILES: [&str; 4] = ["p10", "p50", "p90", "p99"];

/// Results of each round, by signer and field, and where the processes ran.
#[derive(Default)]
pub(super) struct Samples {
    values: BTreeMap<(String, &'static str), Vec<f64>>,
    /// Cores of client and server, if they are pinned, and the same if they share one.
    cores: Option<(u64, u64)>,
}

impl Samples {
    /// Adds a report whose results have their percentiles below a JSON pointer.
    pub(super) fn add(&mut self, report: &Value, percentiles: &str) -> Result<(), String> {
        let results = report.get("results").and_then(Value::as_array).ok_or("a report without results")?;
        let core = |field: &str| report.get(field).and_then(Value::as_u64);
        let core_of_all = core("core").map(|core| (core, core));
        self.cores = core("client_core").zip(core("server_core")).or(core_of_all);
        for result in results {
            let signer = result.get("signer").and_then(Value::as_str).unwrap_or_default();
            let latencies =
                PERCENTILES.map(|field| (field, result.pointer(&format!("{percentiles}/{field}"))));
            let others = ["sign", "verify", "slow_verifications", BETWEEN_TICKS];
            let others = others.map(|field| (field, result.get(field)));
            for (field, value) in latencies.into_iter().chain(others) {
                if let Some(value) = value.and_then(Value::as_f64) {
                    self.values.entry((signer.to_owned(), field)).or_default().push(value);
                }
            }
        }
        Ok(())
    }

    /// Returns true if there are results of a signer.
    pub(super) fn has(&self, signer: &str) -> bool {
        self.values.contains_key(&(signer.to_owned(), "p50"))
    }

    /// Median over the rounds.
    pub(super) fn median(&self, signer: &str, field: &'static str) -> Result<f64, String> {
        let values = self.values.get(&(signer.to_owned(), field));
        values.map(|values| median(&mut values.clone())).ok_or_else(|| format!("no {field} of {signer}"))
    }

    /// Time of one signature and its verification, without the program, if the program measures it.
    pub(super) fn alone(&self, signer: &str) -> Result<f64, String> {
        Ok(self.median(signer, "sign")? + self.median(signer, "verify")?)
    }

    /// The percentiles as cells; the last one is that of [`BETWEEN_TICKS`].
    pub(super) fn cells(&self, signer: &str) -> Result<Vec<String>, String> {
        let between_ticks = self.median(signer, BETWEEN_TICKS).map_or("–".to_owned(), figure);
        let cells = PERCENTILES.iter().map(|field| self.median(signer, field).map(figure));
        cells.chain([Ok(between_ticks)]).collect()
    }

    /// The median latency of `without`, and the time that `signer` adds.
    pub(super) fn bar(&self, name: &str, signer: &str, without: &str) -> Result<Bar, String> {
        let without = self.median(without, "p50")?;
        Ok(Bar {
            name: name.to_owned(),
            values: vec![without, self.median(signer, "p50")? - without],
            whiskers: Some((self.median(signer, "p10")?, self.median(signer, "p90")?)),
        })
    }

    /// A sentence about the cores of the processes.
    pub(super) fn pinning(&self) -> String {
        match self.cores {
            Some((client, server)) if client == server => {
                format!("All processes are pinned to core {client}, and sleep while they wait.")
            }
            Some((client, server)) => format!(
                "The client with its keys is pinned to core {client}, the server with its background thread to core {server}; \
                 both poll."
            ),
            None => "No process is pinned to a core.".to_owned(),
        }
    }
}
