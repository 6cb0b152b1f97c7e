//! DSig: what the paper measured, and what must be reached here.

mod apps;
mod costs;
mod latency;
mod paper;
mod parties;
mod pipeline;
mod requests;
mod sides;
mod wire;

use std::sync::OnceLock;
use std::time::Instant;

use quorate::dsig::{
    HorsFBlake3, HorsFHaraka256, HorsFSha256, HorsMBlake3, HorsMHaraka256, HorsMSha256, WotsBlake3,
    WotsBlake3Wide, WotsHaraka256, WotsHaraka512, WotsSha256,
};

use self::apps::Apps;
use self::costs::{Costs, USUAL, of};
use crate::row::Row;
use crate::sampling::Care;
use crate::table::Table;

/// Measures the rows that have targets, and the paper's tables and figures. Says on standard error what is running.
pub(crate) fn measure(quick: bool) -> Result<(Vec<Row>, Vec<Table>), String> {
    // What is missing is said before minutes are spent.
    let apps = Apps::find()?;
    say("Figure 6, and the rows with targets");
    let measured = of_all(Care::of(quick)).map_err(failed)?;
    let [haraka512, haraka256, blake3, ..] = &measured;
    let mut rows = targets(haraka512, haraka256, blake3);
    let (of_apps, figure_7) = apps.measure(quick, haraka256)?;
    rows.extend(of_apps);
    let care = Care::of(quick);
    let mut tables = vec![paper::table_1(haraka256, blake3)];
    say("Table 2");
    tables.push(paper::table_2(care).map_err(failed)?);
    tables.push(paper::figure_6(&measured));
    tables.extend(figure_7);
    tables.extend(latency::figure_8(quick)?);
    say("Figure 9");
    tables.push(paper::figure_9(care).map_err(failed)?);
    tables.push(pipeline::figure_10(quick, haraka256)?);
    tables.extend(parties::figure_11(care, haraka256).map_err(failed)?);
    tables.extend(requests::figure_12(care).map_err(failed)?);
    say("Figure 13");
    tables.push(paper::figure_13(care).map_err(failed)?);
    Ok((rows, tables))
}

fn of_all(care: Care) -> quorate::Result<[Costs; 11]> {
    Ok([
        of::<WotsHaraka512>(care, USUAL)?,
        of::<WotsHaraka256>(care, USUAL)?,
        of::<WotsBlake3>(care, USUAL)?,
        of::<WotsBlake3Wide>(care, USUAL)?,
        of::<WotsSha256>(care, USUAL)?,
        of::<HorsFHaraka256>(care, USUAL)?,
        of::<HorsFBlake3>(care, USUAL)?,
        of::<HorsFSha256>(care, USUAL)?,
        of::<HorsMHaraka256>(care, USUAL)?,
        of::<HorsMBlake3>(care, USUAL)?,
        of::<HorsMSha256>(care, USUAL)?,
    ])
}

fn targets(haraka512: &Costs, haraka256: &Costs, blake3: &Costs) -> Vec<Row> {
    let ed = |what: &str, costs: &Costs, time: f64| {
        Row::new(format!("{what}, {}", costs.suite), time / costs.ed, "ed")
            .note(format!("{:.3} µs", time / 1000.0))
    };
    let per_second = |what: &str, costs: &Costs, figure: f64| {
        Row::new(format!("{what} and all behind it, one core, {}", costs.suite), figure / 1000.0, "k/s")
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

/// What is measured now, and since when: on standard error, where it does not disturb who reads JSON.
fn say(what: impl std::fmt::Display) {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let began = BEGAN.get_or_init(Instant::now);
    eprintln!("[{:>4} s] dsig: {what}", began.elapsed().as_secs());
}

fn failed(error: quorate::Error) -> String {
    format!("measuring DSig: {error}")
}
