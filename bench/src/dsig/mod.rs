//! DSig: the tables and figures of the paper, and the rows that have targets.

mod apps;
mod costs;
mod error;
mod latency;
mod paper;
mod parties;
mod pipeline;
mod requests;
mod sides;
mod wire;

use quorate::dsig::{
    HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256, HorsMSha256, WotsBlake3,
    WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};

use self::apps::Apps;
use self::costs::{Costs, PAPER_SETTING, measure_suite};
use self::error::failed;
use crate::progress::progress;
use crate::row::Row;
use crate::sampling::SamplePlan;
use crate::table::Table;

/// Measures the rows that have targets, and the paper's tables and figures. Prints its progress on the standard error.
pub(crate) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>), String> {
    // First, so that a missing program is reported before minutes of measurements.
    let apps = Apps::find()?;
    progress("dsig", "Figure 6, and the rows with targets");
    let measured = measure_suites(SamplePlan::new(quick)).map_err(failed)?;
    let [haraka512, haraka256, blake3, ..] = &measured;
    let mut rows = targets(haraka512, haraka256, blake3);
    let (app_rows, figure_7) = apps.measure(quick, haraka256)?;
    rows.extend(app_rows);
    let care = SamplePlan::new(quick);
    let mut tables = vec![paper::table_1(haraka256, blake3)];
    progress("dsig", "Table 2");
    tables.push(paper::table_2(care).map_err(failed)?);
    tables.push(paper::figure_6(&measured));
    tables.extend(figure_7);
    tables.extend(latency::figure_8(quick)?);
    progress("dsig", "Figure 9");
    tables.push(paper::figure_9(care).map_err(failed)?);
    tables.push(pipeline::figure_10(quick, haraka256)?);
    tables.extend(parties::figure_11(care, haraka256).map_err(failed)?);
    tables.extend(requests::figure_12(care).map_err(failed)?);
    progress("dsig", "Figure 13");
    tables.push(paper::figure_13(care).map_err(failed)?);
    Ok((rows, tables))
}

fn measure_suites(care: SamplePlan) -> quorate::Result<[Costs; 11]> {
    Ok([
        measure_suite::<WotsHaraka512>(care, PAPER_SETTING)?,
        measure_suite::<WotsHaraka256>(care, PAPER_SETTING)?,
        measure_suite::<WotsBlake3>(care, PAPER_SETTING)?,
        measure_suite::<WotsBlake3Wide>(care, PAPER_SETTING)?,
        measure_suite::<WotsSha256>(care, PAPER_SETTING)?,
        measure_suite::<HorsFHaraka256>(care, PAPER_SETTING)?,
        measure_suite::<HorsFBlake3>(care, PAPER_SETTING)?,
        measure_suite::<HorsFSha256>(care, PAPER_SETTING)?,
        measure_suite::<HorsMHaraka256>(care, PAPER_SETTING)?,
        measure_suite::<HorsMBlake3>(care, PAPER_SETTING)?,
        measure_suite::<HorsMSha256>(care, PAPER_SETTING)?,
    ])
}

fn targets(haraka512: &Costs, haraka256: &Costs, blake3: &Costs) -> Vec<Row> {
    let ed = |what: &str, costs: &Costs, time: f64| {
        Row::new(format!("{what}, {}", costs.suite), time / costs.ed, "ed")
            .note(format!("{:.3} µs", time / 1000.0))
    };
    let per_second = |what: &str, costs: &Costs, figure: f64| {
        Row::new(format!("{what} with background work, one core, {}", costs.suite), figure / 1000.0, "k/s")
    };
    vec![
        Row::new("one ed25519-dalek verify_strict (ed)", haraka256.ed / 1000.0, "µs"),
        ed("sign", haraka512, haraka512.sign).at_most(0.01),
        ed("sign", haraka256, haraka256.sign).at_most(0.01),
        ed("sign", blake3, blake3.sign),
        ed("verify, announced", haraka256, haraka256.verify_decoded).at_most(0.02),
        ed("verify, announced", haraka512, haraka512.verify_decoded).at_most(0.03),
        ed("verify, announced", blake3, blake3.verify_decoded).at_most(0.05),
        ed("decode and verify, announced", haraka256, haraka256.verify),
        ed("decode and verify, announced", haraka512, haraka512.verify),
        ed("decode and verify, announced", blake3, blake3.verify),
        ed("make and announce a key", haraka256, haraka256.generate).at_most(0.06),
        ed("make and announce a key", haraka512, haraka512.generate),
        ed("make and announce a key", blake3, blake3.generate),
        ed("verify, not announced", haraka256, haraka256.verify_slowly).at_most(1.1),
        ed("verify, not announced", blake3, blake3.verify_slowly).at_most(1.1),
        Row::new("announced per key", haraka256.announced_bytes, "B").at_most(33.0),
        Row::new("signature", haraka256.signature_bytes as f64, "B").at_most(1584.0),
        per_second("sign", haraka256, haraka256.signs_per_second()).at_least(500.0),
        per_second("verify", haraka256, haraka256.verifies_per_second()).at_least(1000.0),
        per_second("sign", blake3, blake3.signs_per_second()),
        per_second("verify", blake3, blake3.verifies_per_second()),
    ]
}
