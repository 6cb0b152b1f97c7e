//! Threshold blocks: the rows that have targets, and the ABFT paper's Tables II to V (Knudsen et al., *High-Performance
//! Asynchronous Byzantine Fault Tolerance Consensus Protocol*) beside ours.

mod blame;
mod bls;
mod ecdsa;
mod erasure;
mod paper;
mod proofs;
mod results;

use quorate::Result;
use quorate::bls::{MinPk, MinSig};
use quorate::threshold::combiner::Counts;
use quorate::threshold::ecdsa::Curve;
use quorate::threshold::{Agreement, Group, Ristretto255, Secp256k1};

use self::ecdsa::Blamed;
use self::results::{PARTIES, SMALL, Signatures};
use crate::progress::progress;
use crate::row::Row;
use crate::sampling::SamplePlan;
use crate::table::Table;

/// Numbers of faulty members: as in the paper, so that 25 sign, and the maximum, so that 34 sign.
const FAULTY: [u16; 2] = [24, 33];
/// Numbers of faulty members in the plots; one more member signs.
const DRAWN: [u16; 5] = [3, 8, 16, 24, 33];
/// Measures the rows that have targets, and the paper's tables. Prints its progress on the standard error.
pub(crate) fn measure(quick: bool) -> std::result::Result<(Vec<Row>, Vec<Table>), String> {
    measure_all(quick).map_err(|error| format!("measuring threshold blocks: {error}"))
}

fn measure_all(quick: bool) -> Result<(Vec<Row>, Vec<Table>)> {
    let care = SamplePlan::new(quick);
    progress("threshold", "ECDSA");
    let ecdsa = [by_ecdsa::<Ristretto255>(care)?, by_ecdsa::<Secp256k1>(care)?];
    progress("threshold", "BLS");
    let bls = [by_bls::<MinSig>(care, "BLS MinSig")?, by_bls::<MinPk>(care, "BLS MinPk")?];
    let [ristretto, secp] = &ecdsa;
    let mut rows = vec![Row::new("one ed25519-dalek verify_strict (ed)", ristretto.basics.ed / 1000.0, "µs")];
    for scheme in &ecdsa {
        rows.extend(targets(scheme));
    }
    let unagreed = ecdsa::combined_unagreed::<Secp256k1>(care, PARTIES, 33)?;
    rows.push(
        in_ed("combine and verify, unagreed, T = 67, secp256k1", unagreed.new_set, unagreed.ed)
            .note("members not cached"),
    );
    progress("threshold", "invalid shares");
    for faulty in FAULTY {
        rows.extend(identification_rows(Ristretto255::NAME, &ecdsa::blamed::<Ristretto255>(care, faulty)?));
        rows.extend(identification_rows(Secp256k1::NAME, &ecdsa::blamed::<Secp256k1>(care, faulty)?));
        let (time, ed, checks) = bls::blamed::<MinSig>(care, faulty)?;
        let what = format!("{faulty} invalid shares first, all identified, T = {}, BLS MinSig", faulty + 1);
        rows.push(in_ed(what, time, ed).note(format!("{:.1} ms; {checks} share checks", time / 1e6)));
    }
    for scheme in &bls {
        rows.extend(beside(scheme));
    }
    progress("threshold", "TDH2 and the coin");
    let [few, many] = FAULTY.map(|faulty| faulty + 1);
    let tdh2 = [proofs::tdh2(care, few, true)?, proofs::tdh2(care, few, false)?];
    let coin = [proofs::coin(care, few, true)?, proofs::coin(care, few, false)?];
    rows.extend(proofs_rows(&tdh2, &coin));
    let (tdh2_more, coin_more) = (proofs::tdh2(care, many, true)?, proofs::coin(care, many, true)?);
    rows.push(in_ed("TDH2 combine 34", tdh2_more.combine, tdh2_more.ed));
    rows.push(in_ed("coin combine 34", coin_more.combine, coin_more.ed));
    progress("threshold", "erasure coding");
    let (erasure_rows, table_4) = erasure::measure(quick)?;
    rows.extend(erasure_rows);
    let [min_sig, min_pk] = &bls;
    let mut tables = vec![
        paper::table_2(&[ristretto, secp, min_sig, min_pk]),
        paper::table_3(&[ristretto, secp, min_sig, min_pk]),
    ];
    tables.extend(table_4);
    tables.push(paper::table_5(&tdh2));
    progress("threshold", "done");
    Ok((rows, tables))
}

fn by_ecdsa<G: Curve>(care: SamplePlan) -> Result<Signatures> {
    let (parties, faulty) = SMALL;
    Ok(Signatures {
        name: G::NAME,
        basics: ecdsa::basics::<G>(care)?,
        combined: DRAWN
            .iter()
            .map(|faulty| ecdsa::combined::<G>(care, PARTIES, *faulty))
            .collect::<Result<_>>()?,
        small: [
            ecdsa::combined::<G>(care, parties, faulty)?,
            ecdsa::combined_unagreed::<G>(care, parties, faulty)?,
        ],
    })
}

fn by_bls<V: quorate::threshold::bls::BlsScheme>(care: SamplePlan, name: &'static str) -> Result<Signatures> {
    let (parties, faulty) = SMALL;
    Ok(Signatures {
        name,
        basics: bls::basics::<V>(care)?,
        combined: DRAWN
            .iter()
            .map(|faulty| bls::combined::<V>(care, PARTIES, *faulty, Agreement::Agreed))
            .collect::<Result<_>>()?,
        small: [
            bls::combined::<V>(care, parties, faulty, Agreement::Agreed)?,
            bls::combined::<V>(care, parties, faulty, Agreement::Unagreed)?,
        ],
    })
}

/// The rows of ECDSA that have targets.
fn targets(scheme: &Signatures) -> Vec<Row> {
    let Signatures { name, basics, .. } = scheme;
    let mut rows = vec![
        in_ed(format!("share, block reserved, {name}"), basics.sign, basics.ed)
            .at_most(0.03)
            .note(format!("{:.3} µs, guard state in memory, no disk", basics.sign / 1000.0)),
    ];
    rows.extend(basics.sign_recorded.map(|sign| {
        in_ed(format!("share with its own record, {name}"), sign, basics.ed)
            .note(format!("{:.3} µs, no disk", sign / 1000.0))
    }));
    for faulty in FAULTY {
        let combined = scheme.with(usize::from(faulty) + 1);
        let (needed, ed) = (combined.needed, combined.ed);
        rows.push(
            in_ed(format!("combine and verify, T = {needed}, {name}"), combined.new_set, ed)
                .at_most(1.7)
                .note(format!(
                    "{:.2} µs; members not cached; precomputed multiples of the key",
                    combined.new_set / 1000.0
                )),
        );
        rows.push(
            in_ed(format!("the same, members cached, T = {needed}, {name}"), combined.known_set, ed)
                .at_most(1.7)
                .note(format!(
                    "verification {:.2} µs; precomputed multiples of the key",
                    combined.verify / 1000.0
                )),
        );
    }
    rows
}

/// The cost of identifying f wrong shares. The counts were checked against the bounds before the measurement.
fn identification_rows(name: &str, blamed: &Blamed) -> Vec<Row> {
    let Blamed { needed, faulty, ed, first, last, silent } = blamed;
    let row = |what: String, (time, counts): (f64, Counts)| {
        let Counts { combinations, share_checks, decodings } = counts;
        in_ed(format!("{what}, T = {needed}, {name}"), time, *ed).note(format!(
            "{:.2} ms; {share_checks} share checks, {combinations} combinations, {decodings} decodings",
            time / 1e6
        ))
    };
    let bound = needed + usize::from(*faulty);
    let most = first.1.share_checks.max(last.1.share_checks).max(silent.1.share_checks);
    vec![
        row(format!("{faulty} invalid shares first, all identified"), *first),
        row(format!("{faulty} invalid shares last, all identified"), *last),
        row(format!("{faulty} invalid shares, no openings, all identified"), *silent),
        Row::new(format!("most shares checked, T = {needed}, {name}"), most as f64, "checks")
            .at_most(bound as f64)
            .note("the bound: T + f"),
    ]
}

/// The rows of BLS, for comparison.
fn beside(scheme: &Signatures) -> Vec<Row> {
    let Signatures { name, basics, .. } = scheme;
    let mut rows = vec![
        in_ed(format!("share, {name}"), basics.sign, basics.ed),
        in_ed(format!("verify, {name}"), basics.verify, basics.ed),
    ];
    for faulty in FAULTY {
        let combined = scheme.with(usize::from(faulty) + 1);
        let what = format!("combine and verify, T = {}, {name}", combined.needed);
        rows.push(in_ed(what, combined.new_set, combined.ed));
    }
    rows
}

fn proofs_rows(tdh2: &[proofs::Costs; 2], coin: &[proofs::Costs; 2]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (costs, kind) in tdh2.iter().zip(["with tables", "without tables"]) {
        let ed = |what: &str, time: f64| in_ed(format!("TDH2 {what}, {kind}"), time, costs.ed);
        // The targets are for the table that the paper has, too.
        let aim = |row: Row, limit| if kind == "with tables" { row.at_most(limit) } else { row };
        rows.push(aim(ed("encrypt", costs.encrypt), 2.0));
        rows.push(ed("check a ciphertext", costs.check));
        rows.push(aim(ed("share, including the ciphertext check", costs.share), 4.0));
        rows.push(ed("verify a single share", costs.verify));
        rows.push(aim(ed("verify a share, in a batch of 25", costs.verify_batched), 1.1));
        rows.push(ed("decode and verify a share, in a batch of 25", costs.decode_and_verify));
    }
    let [with, _] = tdh2;
    rows.push(in_ed("TDH2 combine 25", with.combine, with.ed).at_most(6.0).note("members not cached"));
    rows.push(in_ed("TDH2 combine 25, members cached", with.combine_known, with.ed));
    for (costs, kind) in coin.iter().zip(["with tables", "without tables"]) {
        let ed = |what: &str, time: f64| in_ed(format!("coin {what}, {kind}"), time, costs.ed);
        let aim = |row: Row, limit| if kind == "with tables" { row.at_most(limit) } else { row };
        if kind == "with tables" {
            let share = in_ed("coin share, including the hash of the name", costs.share, costs.ed);
            rows.push(share.at_most(3.0));
        }
        rows.push(ed("verify a single share", costs.verify));
        rows.push(aim(ed("verify a share, in a batch of 25", costs.verify_batched), 1.1));
        rows.push(ed("decode and verify a share, in a batch of 25", costs.decode_and_verify));
    }
    let [with, _] = coin;
    rows.push(in_ed("coin combine 25", with.combine, with.ed).at_most(6.0).note("members not cached"));
    rows.push(in_ed("coin combine 25, members cached", with.combine_known, with.ed));
    rows
}

fn in_ed(what: impl Into<String>, time: f64, ed: f64) -> Row {
    Row::new(what, time / ed, "ed").note(format!("{:.2} µs", time / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::results::{Basics, Combined};
    use super::*;

    #[test]
    fn every_required_row_has_its_target() {
        let combined = |needed| Combined { needed, ed: 1.0, new_set: 2.0, known_set: 1.0, verify: 0.5 };
        let basics = Basics { ed: 1.0, sign: 0.02, sign_recorded: Some(0.04), verify: 0.5 };
        let scheme = Signatures {
            name: "g",
            basics,
            combined: vec![combined(25), combined(34)],
            small: [combined(3), combined(6)],
        };
        let blamed = Blamed { needed: 25, faulty: 24, ed: 1.0, ..Blamed::default() };
        let costs = proofs::Costs { ed: 1.0, ..proofs::Costs::default() };
        let rows: Vec<Row> = targets(&scheme)
            .into_iter()
            .chain(identification_rows("g", &blamed))
            .chain(proofs_rows(&[costs; 2], &[costs; 2]))
            .collect();
        let verdict = |name: &str| {
            let found = rows.iter().find(|row| row.name == name);
            found.unwrap_or_else(|| panic!("no row {name}")).is_reached()
        };
        assert_eq!(verdict("share, block reserved, g"), Some(true));
        assert_eq!(verdict("share with its own record, g"), None);
        for needed in [25, 34] {
            assert_eq!(verdict(&format!("combine and verify, T = {needed}, g")), Some(false));
            assert_eq!(verdict(&format!("the same, members cached, T = {needed}, g")), Some(true));
        }
        assert_eq!(verdict("most shares checked, T = 25, g"), Some(true));
        for name in [
            "TDH2 encrypt, with tables",
            "TDH2 share, including the ciphertext check, with tables",
            "TDH2 verify a share, in a batch of 25, with tables",
            "TDH2 combine 25",
            "coin share, including the hash of the name",
            "coin verify a share, in a batch of 25, with tables",
            "coin combine 25",
        ] {
            assert_eq!(verdict(name), Some(true), "{name}");
        }
        assert_eq!(verdict("TDH2 encrypt, without tables"), None);
    }
}
