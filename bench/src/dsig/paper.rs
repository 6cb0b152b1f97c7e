//! The paper's tables and figures of the work of one party (Aguilera et al., OSDI '24), with its values beside ours. Its
//! machines had two Xeon Gold 6244 each and 100 Gbps between them; ours is one process, without a network. Its figures
//! print few numbers: values that are not in its text are left out.

use quorate::Result;
use quorate::dsig::{DsigSuite, Haraka256, HorsF, HorsM, Wots, WotsBlake3, WotsHaraka256};

use super::costs::{Costs, PAPER_SETTING, Setting, measure_suite};
use crate::chart::{Bar, Bars, Drawing, Lines, Series};
use crate::row::figure;
use crate::sampling::SamplePlan;
use crate::table::Table;

/// Latency and throughput.
pub(crate) fn table_1(haraka: &Costs, blake3: &Costs) -> Table {
    let columns = ["", "sign, µs", "verify, µs", "sign, k/s", "verify, k/s", "bytes", "announced, B"];
    let mut table = Table::new("dsig-table-1", "Table 1: EdDSA and DSig, one core", &columns);
    let paper = |name: &str, cells: [&str; 6]| -> Vec<String> {
        [name].into_iter().chain(cells).map(str::to_owned).collect()
    };
    table.row(paper("EdDSA, the paper", ["18.9", "35.6", "53", "28", "64", "0"]));
    let (sign, verify) = (haraka.ed_sign, haraka.ed_verify);
    table.row([
        "EdDSA, here".to_owned(),
        micros(sign),
        micros(verify),
        kilo(1e9 / sign),
        kilo(1e9 / verify),
        "64".into(),
        "0".into(),
    ]);
    table.row(paper("DSig, the paper", ["0.7", "5.1", "131", "193", "1584", "33"]));
    for costs in [haraka, blake3] {
        table.row([
            format!("DSig, here, {}", costs.suite),
            micros(costs.sign),
            micros(costs.verify),
            kilo(costs.signs_per_second()),
            kilo(costs.verifies_per_second()),
            costs.signature_bytes.to_string(),
            figure(costs.announced_bytes),
        ]);
    }
    table
}

macro_rules! suites {
    ($($name:ident = $number:literal, $text:literal, $one_time:ty;)*) => {$(
        /// A row of the paper's Table 2 that has no number of ours.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum $name {}

        impl DsigSuite for $name {
            const NUMBER: u8 = $number;
            const NAME: &'static str = $text;
            type OneTime = $one_time;
        }
    )*};
}

suites! {
    Depth2 = 128, "W-OTS+ d = 2", Wots<Haraka256, 18, 136, 1>;
    Depth4 = 129, "W-OTS+ d = 4", Wots<Haraka256, 18, 68, 2>;
    Depth8 = 130, "W-OTS+ d = 8", Wots<Haraka256, 18, 46, 3>;
    Depth16 = 131, "W-OTS+ d = 16", Wots<Haraka256, 18, 35, 4>;
    Depth32 = 132, "W-OTS+ d = 32", Wots<Haraka256, 18, 28, 5>;
    Factorised32 = 133, "HORS F k = 32", HorsF<Haraka256, 32, 512>;
    Factorised64 = 134, "HORS F k = 64", HorsF<Haraka256, 64, 256>;
    Merklified16 = 135, "HORS M k = 16", HorsM<Haraka256, 16, 4096>;
    Merklified32 = 136, "HORS M k = 32", HorsM<Haraka256, 32, 512>;
    Merklified64 = 137, "HORS M k = 64", HorsM<Haraka256, 64, 256>;
}

/// Configurations of the one-time schemes.
pub(crate) fn table_2(care: SamplePlan) -> Result<Table> {
    let columns = ["", "bytes, the paper", "bytes", "make a key, µs", "sign, µs", "verify, µs"];
    let mut table = Table::new("dsig-table-2", "Table 2: configurations, over Haraka-256", &columns);
    let mut row = |costs: Costs, paper: &str| {
        table.row([
            costs.suite.to_owned(),
            paper.to_owned(),
            costs.signature_bytes.to_string(),
            micros(costs.generate),
            micros(costs.sign),
            micros(costs.verify),
        ]);
    };
    row(measure_suite::<Factorised32>(care, PAPER_SETTING)?, "8552");
    row(measure_suite::<Factorised64>(care, PAPER_SETTING)?, "4456");
    row(measure_suite::<Merklified16>(care, PAPER_SETTING)?, "4968");
    row(measure_suite::<Merklified32>(care, PAPER_SETTING)?, "5480");
    row(measure_suite::<Merklified64>(care, PAPER_SETTING)?, "6504");
    row(measure_suite::<Depth2>(care, PAPER_SETTING)?, "2808");
    row(measure_suite::<Depth4>(care, PAPER_SETTING)?, "1584");
    row(measure_suite::<Depth8>(care, PAPER_SETTING)?, "1188");
    row(measure_suite::<Depth16>(care, PAPER_SETTING)?, "990");
    row(measure_suite::<Depth32>(care, PAPER_SETTING)?, "864");
    Ok(table)
}

/// Schemes and hashes.
pub(crate) fn figure_6(all: &[Costs]) -> Table {
    let columns = ["", "sign, µs", "verify, µs", "both, µs", "both, ed", "the paper: sign + verify, µs"];
    let mut table = Table::new("dsig-figure-6", "Figure 6: schemes and hashes, 8-byte messages", &columns);
    for costs in all {
        let paper = match costs.suite {
            "wots-haraka-256" => "0.7 + 5.1",
            "hors-m-haraka-256" => "0.9 + 1.5, keys prefetched",
            _ => "–",
        };
        table.row([
            costs.suite.to_owned(),
            micros(costs.sign),
            micros(costs.verify),
            micros(costs.latency()),
            figure(costs.latency() / costs.ed),
            paper.to_owned(),
        ]);
    }
    let bar = |costs: &Costs| Bar {
        name: costs.suite.to_owned(),
        values: vec![costs.sign / 1000.0, costs.verify / 1000.0],
        whiskers: None,
    };
    table.drawing = Some(Drawing::Bars(Bars {
        x: "µs".to_owned(),
        parts: vec!["sign".to_owned(), "verify".to_owned()],
        bars: all.iter().map(bar).collect(),
    }));
    table
}

/// Sizes of messages.
pub(crate) fn figure_9(care: SamplePlan) -> Result<Table> {
    let columns = [
        "message, B",
        "EdDSA, µs",
        "wots-haraka-256, µs",
        "wots-blake3, µs",
        "wots-haraka-256, ed",
        "the paper: EdDSA, DSig, µs",
    ];
    let mut table = Table::new("dsig-figure-9", "Figure 9: to sign and verify a message of a size", &columns);
    let mut lines = ["EdDSA", WotsHaraka256::NAME, WotsBlake3::NAME].map(|name| Series::new(name, vec![]));
    for message_len in [8, 32, 128, 512, 2048, 8192] {
        let setting = Setting { message_len, ..PAPER_SETTING };
        let (haraka, blake3) =
            (measure_suite::<WotsHaraka256>(care, setting)?, measure_suite::<WotsBlake3>(care, setting)?);
        let times = [haraka.ed_sign + haraka.ed_verify, haraka.latency(), blake3.latency()];
        let paper = match message_len {
            8 => "54.5, 5.8",
            8192 => "–, below 15",
            _ => "–",
        };
        let ours = [message_len.to_string()].into_iter().chain(times.map(micros));
        table.row(ours.chain([figure(haraka.latency() / haraka.ed), paper.to_owned()]));
        for (line, time) in lines.iter_mut().zip(times) {
            line.points.push((message_len as f64, time / 1000.0));
        }
    }
    let paper = [("EdDSA, the paper", 0, 54.5), ("DSig, the paper", 1, 5.8)];
    let paper = paper.map(|(name, like, time)| Series::dashed(name, like, vec![(8.0, time)]));
    let series = lines.into_iter().chain(paper);
    let drawn = Lines::new("bytes of message", "µs to sign and verify", series.collect());
    table.drawing = Some(Drawing::Lines(drawn));
    table.note("The paper includes the transmission: with it, 7.7 µs at 8 bytes.");
    Ok(table)
}

/// Sizes of batches.
pub(crate) fn figure_13(care: SamplePlan) -> Result<Table> {
    let columns =
        ["batch", "sign and verify, µs", "sign, k/s", "verify, k/s", "the paper: sign, k/s", "verify, k/s"];
    let title = "Figure 13: keys per EdDSA signature, wots-haraka-256, one core";
    let mut table = Table::new("dsig-figure-13", title, &columns);
    let mut lines = ["sign", "verify"].map(|name| Series::new(name, vec![]));
    for log2_batch in 0..=7 {
        let costs = measure_suite::<WotsHaraka256>(care, Setting { log2_batch, ..PAPER_SETTING })?;
        let rates = [costs.signs_per_second(), costs.verifies_per_second()];
        let batch = 1u32 << log2_batch;
        let paper = match batch {
            32 => ["135", "–"],
            128 => ["131", "193"],
            _ => ["–", "–"],
        };
        let ours = [batch.to_string(), micros(costs.latency())].into_iter().chain(rates.map(kilo));
        table.row(ours.chain(paper.map(str::to_owned)));
        for (line, rate) in lines.iter_mut().zip(rates) {
            line.points.push((batch.into(), rate / 1000.0));
        }
    }
    let paper = [
        Series::dashed("sign, the paper", 0, vec![(32.0, 135.0), (128.0, 131.0)]),
        Series::dashed("verify, the paper", 1, vec![(128.0, 193.0)]),
    ];
    let series = lines.into_iter().chain(paper).collect();
    table.drawing = Some(Drawing::Lines(Lines::new("keys per batch", "thousands per second", series)));
    table.note("Our batches end at 128 keys. The paper's best: signing at 32, verifying 206 k/s at 4,096.");
    Ok(table)
}

pub(super) fn micros(nanos: f64) -> String {
    figure(nanos / 1000.0)
}

pub(super) fn kilo(per_second: f64) -> String {
    figure(per_second / 1000.0)
}
