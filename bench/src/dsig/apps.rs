//! Figure 7: the latency of two programs for their users, without signatures and with each kind. The programs measure
//! themselves, in their own processes, over loopback, in alternating rounds.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::costs::Costs;
use crate::chart::{Bar, Bars, Drawing};
use crate::children::Program;
use crate::progress::progress;
use crate::row::{Row, figure};
use crate::sampling::median;
use crate::table::Table;

/// Time limit for one measurement of a program.
const LIMIT: Duration = Duration::from_secs(300);
/// The suite of the paper.
const SUITE: &str = "wots-haraka-256";

/// The programs.
pub(super) struct Apps {
    /// The program, or the reason why it is not measured.
    redis: Result<Program, String>,
    broadcast: Program,
}

impl Apps {
    /// # Errors
    /// One of our programs is not built. A missing Redis is reported in the figure.
    pub(super) fn find() -> Result<Self, String> {
        let redis = Program::beside("audited-redis")?;
        let there = is_there("redis-server");
        Ok(Self {
            redis: if there { Ok(redis) } else { Err(missing()) },
            broadcast: Program::beside("quorate-broadcast")?,
        })
    }

    /// The row with a target, related rows, and the two halves of the figure.
    pub(super) fn measure(&self, quick: bool, costs: &Costs) -> Result<(Vec<Row>, Vec<Table>), String> {
        let (rounds, requests, warm_up) = if quick { (1, "400", "50") } else { (5, "2000", "200") };
        let (mut redis, mut broadcast) = (Samples::default(), Samples::default());
        for round in 1..=rounds {
            if let Ok(program) = &self.redis {
                progress("dsig", format_args!("Figure 7, Redis, round {round} of {rounds}"));
                let report =
                    program.report(&["bench", "--json", "--ops", requests, "--suite", SUITE], LIMIT)?;
                redis.add(&report, "")?;
            }
            progress("dsig", format_args!("Figure 7, broadcast, round {round} of {rounds}"));
            let arguments =
                ["bench", "--json", "--requests", requests, "--warm-up", warm_up, "--suite", SUITE];
            broadcast.add(&self.broadcast.report(&arguments, LIMIT)?, "/latency_us")?;
        }
        let (rows, of_redis) = match &self.redis {
            Ok(_) => (targets(&redis)?, of_redis(&redis, costs)?),
            Err(reason) => {
                progress("dsig", format_args!("Figure 7, Redis: {reason}"));
                (vec![], unmeasured(reason))
            }
        };
        Ok((rows, vec![of_redis, of_broadcast(&broadcast, costs)?]))
    }
}

const REDIS: &str = "dsig-figure-7-redis";
const REDIS_TITLE: &str = "Figure 7: Redis, one command after another";

fn missing() -> String {
    "Not measured: there is no `redis-server` here. On Debian or Ubuntu `apt-get install redis-server` brings it, on \
     macOS `brew install redis`."
        .to_owned()
}

/// A table without figures, and the reason.
fn unmeasured(reason: &str) -> Table {
    let mut table = Table::new(REDIS, REDIS_TITLE, &[]);
    table.note(reason);
    table
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    let quiet = command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Results of each round, by signature kind and field.
#[derive(Default)]
struct Samples(BTreeMap<(String, &'static str), Vec<f64>>);

impl Samples {
    /// Adds a report whose results have their percentiles in `latencies`.
    fn add(&mut self, report: &Value, latencies: &str) -> Result<(), String> {
        let results = report.get("results").and_then(Value::as_array).ok_or("a report without results")?;
        for result in results {
            let signer = result.get("signer").and_then(Value::as_str).unwrap_or_default();
            let percentiles =
                ["p10", "p50", "p90"].map(|field| (field, result.pointer(&format!("{latencies}/{field}"))));
            let alone = ["sign", "verify", "slow_verifications"].map(|field| (field, result.get(field)));
            for (field, value) in percentiles.into_iter().chain(alone) {
                if let Some(value) = value.and_then(Value::as_f64) {
                    self.0.entry((signer.to_owned(), field)).or_default().push(value);
                }
            }
        }
        Ok(())
    }

    /// Median over the rounds.
    fn median(&self, signer: &str, field: &'static str) -> Result<f64, String> {
        let values = self.0.get(&(signer.to_owned(), field));
        values.map(|values| median(&mut values.clone())).ok_or_else(|| format!("no {field} of {signer}"))
    }

    /// Time of one signature and its verification, without the program.
    fn alone(&self, signer: &str) -> Result<f64, String> {
        Ok(self.median(signer, "sign")? + self.median(signer, "verify")?)
    }

    /// The three percentiles as cells.
    fn percentiles(&self, signer: &str) -> Result<[String; 3], String> {
        Ok([
            figure(self.median(signer, "p10")?),
            figure(self.median(signer, "p50")?),
            figure(self.median(signer, "p90")?),
        ])
    }

    /// The median latency without signatures, and the time that signatures add.
    fn bar(&self, name: &str, signer: &str) -> Result<Bar, String> {
        let plain = if signer == "direct" { "direct" } else { "none" };
        let without = self.median(plain, "p50")?;
        Ok(Bar {
            name: name.to_owned(),
            values: vec![without, self.median(signer, "p50")? - without],
            whiskers: Some((self.median(signer, "p10")?, self.median(signer, "p90")?)),
        })
    }
}

fn targets(redis: &Samples) -> Result<Vec<Row>, String> {
    let [direct, none, eddsa, dsig] =
        ["direct", "none", "eddsa", "dsig"].map(|signer| redis.median(signer, "p50"));
    let (direct, none, eddsa, dsig) = (direct?, none?, eddsa?, dsig?);
    let crypto = |name: &str, signer: &str, latency: f64| {
        let note = format!("signatures add {} µs to a client's latency", figure(latency - none));
        Ok::<_, String>(Row::new(name, redis.alone(signer)?, "µs").note(note))
    };
    Ok(vec![
        crypto("audited Redis: sign and verify a command, DSig", "dsig", dsig)?.at_most(4.0),
        crypto("audited Redis: sign and verify a command, EdDSA", "eddsa", eddsa)?,
        Row::new("audited Redis with DSig, against plain Redis", dsig - direct, "µs").note(format!(
            "median latency {} µs; {} µs with a log but without signatures, {} µs plain",
            figure(dsig),
            figure(none),
            figure(direct)
        )),
    ])
}

const PARTS: [&str; 2] = ["without signatures", "added by signatures"];

fn of_redis(redis: &Samples, costs: &Costs) -> Result<Table, String> {
    let columns = [
        "",
        "p10, µs",
        "median, µs",
        "p90, µs",
        "more than plain Redis, µs",
        "of which signatures, µs",
        "sign + verify alone, µs",
        "the same, ed",
        "the paper's median, µs",
    ];
    let mut table = Table::new(REDIS, REDIS_TITLE, &columns);
    let (direct, none) = (redis.median("direct", "p50")?, redis.median("none", "p50")?);
    for (name, signer, paper) in [
        ("plain", "direct", "≈ 12"),
        ("log, no signatures", "none", "–"),
        ("EdDSA", "eddsa", "≈ 12 + 55"),
        ("DSig, wots-haraka-256", "dsig", "below 12 + 7.9"),
    ] {
        let median = redis.median(signer, "p50")?;
        let once = redis.alone(signer).ok();
        let cells = [name.to_owned()].into_iter().chain(redis.percentiles(signer)?);
        table.row(cells.chain([
            cell((signer != "direct").then_some(median - direct)),
            cell(once.map(|_| median - none)),
            cell(once),
            cell(once.map(|once| once * 1000.0 / costs.ed)),
            paper.to_owned(),
        ]));
    }
    let mut bars = vec![
        redis.bar("plain", "direct")?,
        redis.bar("log, no signatures", "none")?,
        redis.bar("EdDSA", "eddsa")?,
        redis.bar("DSig", "dsig")?,
    ];
    bars.extend([papers("EdDSA, the paper", 12.0, 55.0), papers("DSig, the paper (at most)", 12.0, 7.9)]);
    table.drawing = Some(drawing(bars));
    table.note(
        "`audited-redis bench`: a real redis-server, and our front before it, over TCP on loopback; a client waits for \
         each answer. The paper's server is changed itself and answers over RDMA, without a kernel or a front in \
         the path. Only the latency that signatures add is comparable. Medians over alternating rounds.",
    );
    Ok(table)
}

fn of_broadcast(broadcast: &Samples, costs: &Costs) -> Result<Table, String> {
    let columns = [
        "",
        "p10, µs",
        "median, µs",
        "p90, µs",
        "of which signatures, µs",
        "2 × (sign + verify) alone, µs",
        "the same, ed",
        "the paper's median, µs",
    ];
    let title = "Figure 7: consistent broadcast of 8 bytes, four members";
    let mut table = Table::new("dsig-figure-7-broadcast", title, &columns);
    let none = broadcast.median("none", "p50")?;
    for (name, signer, once, paper) in [
        ("no signatures", "none", None, "≈ 14"),
        ("EdDSA", "eddsa", Some(costs.ed_sign + costs.ed_verify), "123"),
        ("DSig, wots-haraka-256", "dsig", Some(costs.latency()), "34"),
    ] {
        let added = broadcast.median(signer, "p50")? - none;
        let cells = [name.to_owned()].into_iter().chain(broadcast.percentiles(signer)?);
        table.row(cells.chain([
            cell(once.map(|_| added)),
            cell(once.map(|once| 2.0 * once / 1000.0)),
            cell(once.map(|once| 2.0 * once / costs.ed)),
            paper.to_owned(),
        ]));
    }
    let mut bars = vec![
        broadcast.bar("no signatures", "none")?,
        broadcast.bar("EdDSA", "eddsa")?,
        broadcast.bar("DSig", "dsig")?,
    ];
    bars.extend([papers("EdDSA, the paper", 14.0, 109.0), papers("DSig, the paper", 14.0, 20.0)]);
    table.drawing = Some(drawing(bars));
    table.note(
        "`quorate-broadcast bench`: until the sender delivers, over TLS on loopback, all members on this machine, so \
         that they wait for each other's processor time as well. The paper's members have a machine each and RDMA; \
         its ≈ 14 µs without signatures are derived from its 123 µs, 34 µs and 82 % less cryptography. Two \
         signatures and two verifications are sequential: the sender's and the echoes'.",
    );
    let slow = broadcast.median("dsig", "slow_verifications")?;
    if slow > 0.0 {
        table.note(format!("In the median round, {slow} verifications preceded their announcement."));
    }
    Ok(table)
}

fn cell(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

fn papers(name: &str, without: f64, added: f64) -> Bar {
    Bar { name: name.to_owned(), values: vec![without, added], whiskers: None }
}

fn drawing(bars: Vec<Bar>) -> Drawing {
    let x = "median latency, µs; lines from the 10th to the 90th percentile".to_owned();
    Drawing::Bars(Bars { x, parts: PARTS.map(str::to_owned).to_vec(), bars })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn samples() -> Samples {
        let mut samples = Samples::default();
        for shift in [0.0, 2.0, 1.0] {
            let line = |signer: &str, p50: f64, crypto: Option<f64>| {
                json!({
                    "signer": signer, "p10": p50 - 1.0, "p50": p50 + shift, "p90": p50 + 5.0,
                    "sign": crypto.map(|_| 0.5), "verify": crypto,
                })
            };
            let results = [
                line("direct", 30.0, None),
                line("none", 80.0, None),
                line("eddsa", 140.0, Some(38.0)),
                line("dsig", 84.0, Some(1.0)),
            ];
            samples.add(&json!({ "results": results }), "").unwrap();
        }
        samples
    }

    #[test]
    fn added_latency_is_relative_to_the_unsigned_front() {
        let rows = targets(&samples()).unwrap();
        assert_eq!(rows[0].value, 1.5);
        assert_eq!(rows[0].is_reached(), Some(true));
        assert!(rows[0].note.contains("add 4 µs") && rows[1].note.contains("add 60 µs"), "{}", rows[0].note);
        assert_eq!(rows[2].value, 54.0);
        assert_eq!(samples().bar("a", "eddsa").unwrap().values, [81.0, 60.0]);
        assert_eq!(samples().bar("a", "direct").unwrap().values, [31.0, 0.0]);
    }

    #[test]
    fn an_incomplete_report_is_refused() {
        let mut samples = Samples::default();
        assert!(samples.add(&json!({}), "").is_err());
        samples
            .add(&json!({ "results": [{ "signer": "none", "latency_us": { "p50": 3.5 } }] }), "/latency_us")
            .unwrap();
        assert_eq!(samples.median("none", "p50"), Ok(3.5));
        assert!(samples.median("none", "p90").is_err() && samples.median("dsig", "p50").is_err());
    }

    #[test]
    fn a_missing_redis_is_reported_with_its_package() {
        assert!(!is_there("no-such-program"));
        let table = unmeasured(&missing());
        assert!(table.text().contains("apt-get install redis-server"));
        assert!(table.rows.is_empty() && table.drawing.is_none());
    }
}
