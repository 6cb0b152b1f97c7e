//! Figures 1 and 7: the latency of programs for their users, without signatures and with each kind. The programs measure
//! themselves, in their own processes, on this machine, in alternating rounds.

mod figures;
mod link;
mod programs;
mod samples;

use std::process::{Command, Stdio};
use std::thread::available_parallelism;
use std::time::Duration;

use self::link::LinkProgram;
use self::programs::{Load, MeasuredProgram, PROGRAMS};
use self::samples::{BETWEEN_TICKS, Samples};
use super::costs::Costs;
use crate::children::Program;
use crate::progress::progress;
use crate::row::{Row, figure};
use crate::table::Table;

/// Time limit for one measurement of a program.
const LIMIT: Duration = Duration::from_secs(300);
/// The suite of the paper.
const SUITE: &str = "wots-haraka-256";

/// The programs.
pub(super) struct Apps {
    apps: Vec<App>,
    link: LinkProgram,
}

struct App {
    about: &'static MeasuredProgram,
    /// The program, or the reason why it is not measured.
    program: Result<Program, String>,
}

impl Apps {
    /// # Errors
    /// One of our programs is not built. A missing Redis is reported in the figure.
    pub(super) fn find() -> Result<Self, String> {
        let app = |about: &'static MeasuredProgram| {
            let program = Program::beside(about.binary)?;
            let missing = about.needs.filter(|(needed, _)| !is_there(needed));
            let missing =
                missing.map(|(needed, hint)| format!("Not measured: there is no `{needed}` here. {hint}"));
            Ok(App { about, program: missing.map_or(Ok(program), Err) })
        };
        Ok(Self {
            apps: PROGRAMS.iter().map(app).collect::<Result<_, String>>()?,
            link: LinkProgram::find()?,
        })
    }

    /// The row with a target, related rows, and the figures.
    pub(super) fn measure(&self, quick: bool, costs: &Costs) -> Result<(Vec<Row>, Vec<Table>), String> {
        let (rounds, requests, warm_up) = if quick { (1, 400, 50) } else { (5, 10_000, 500) };
        let pin = available_parallelism().is_ok_and(|cores| cores.get() > 1);
        let load = Load { requests, warm_up, suite: SUITE, pin };
        let mut all: Vec<Samples> = self.apps.iter().map(|_| Samples::default()).collect();
        for round in 1..=rounds {
            for (App { about, program }, samples) in self.apps.iter().zip(&mut all) {
                let Ok(program) = program else { continue };
                progress("dsig", format_args!("Figure 7, {}, round {round} of {rounds}", about.binary));
                let arguments = (about.arguments)(&load);
                let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
                samples.add(&program.report(&arguments, LIMIT)?, about.percentiles)?;
            }
        }
        let mut rows: Vec<Row> = self.link.measure(quick, LIMIT)?.into_iter().collect();
        let (mut tables, mut measured) = (Vec::new(), Vec::new());
        for (App { about, program }, samples) in self.apps.iter().zip(&all) {
            tables.push(match program {
                Ok(_) => {
                    measured.push((*about, samples));
                    figures::figure_7(about, samples, &load, costs)?
                }
                Err(reason) => {
                    progress("dsig", format_args!("Figure 7, {}: {reason}", about.binary));
                    figures::unmeasured(about, reason)
                }
            });
            if program.is_ok() {
                rows.extend(targets(about, samples)?);
            }
        }
        tables.insert(0, figures::figure_1(&measured)?);
        Ok((rows, tables))
    }
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    let quiet = command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The rows of a program with targets.
fn targets(about: &MeasuredProgram, samples: &Samples) -> Result<Vec<Row>, String> {
    let median = |signer| samples.median(signer, "p50");
    Ok(match about.binary {
        "audited-kv" => store_targets(samples)?,
        "audited-redis" => redis_targets(samples)?,
        "quorate-broadcast" => {
            let plain = median(about.plain)?;
            let ratio = (median("dsig")? - plain) / (median("eddsa")? - plain);
            vec![Row::new("broadcast: latency that DSig adds, to what EdDSA adds", ratio, "").at_most(0.30)]
        }
        "replicate" => {
            let ratio = median("dsig")? / median("eddsa")?;
            vec![Row::new("replication: median of the slow path, DSig to EdDSA", ratio, "").at_most(0.35)]
        }
        _ => Vec::new(),
    })
}

/// Latency that DSig adds to that of another signer.
fn added(samples: &Samples, without: &str, field: &'static str) -> Result<f64, String> {
    Ok(samples.median("dsig", field)? - samples.median(without, field)?)
}

/// The rows of the key-value store.
fn store_targets(store: &Samples) -> Result<Vec<Row>, String> {
    let added = |field| added(store, "plain", field);
    let row = |name: &str, value| Row::new(format!("key-value store: DSig adds at {name}"), value, "µs");
    let mut rows =
        vec![row("the median", added("p50")?).at_most(3.0), row("p99", added("p99")?).at_most(5.0)];
    if let Ok(between_ticks) = added(BETWEEN_TICKS) {
        rows.push(row("p99, between timer ticks", between_ticks).at_most(5.0));
    }
    Ok(rows)
}

/// The rows of the audited Redis.
fn redis_targets(redis: &Samples) -> Result<Vec<Row>, String> {
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
        Row::new("audited Redis: DSig adds at the median", added(redis, "none", "p50")?, "µs").at_most(8.0),
        Row::new("audited Redis: DSig adds at p90", added(redis, "none", "p90")?, "µs").at_most(12.0),
        Row::new("audited Redis with DSig, against plain Redis", dsig - direct, "µs").note(format!(
            "median latency {} µs; {} µs with a log but without signatures, {} µs plain",
            figure(dsig),
            figure(none),
            figure(direct)
        )),
    ])
}

#[cfg(test)]
mod tests;
