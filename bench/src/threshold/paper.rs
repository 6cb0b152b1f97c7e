//! The paper's Tables II, III and V, its values beside ours. It ran on an Intel i7-3770K at 3.50 GHz.

use super::proofs::Costs;
use super::results::{SMALL, Signatures};
use crate::chart::{Bar, Bars, Drawing, Lines, Series};
use crate::row::figure;
use crate::table::Table;

/// Table II: operation, ECDSA and BLS in µs, the improvement as it is printed.
pub(super) const TABLE_2: [(&str, f64, f64, &str); 3] = [
    ("Share-Sign", 7.0043, 3829.0, "54366.4 %"),
    ("Combine-Shares", 10_902.0, 14_189.0, "30.2 %"),
    ("Verify-Signature", 58.528, 7820.9, "13262.7 %"),
];
/// Table III: the run time of the protocol with ECDSA and with BLS in ms, the improvement as it is printed.
pub(super) const TABLE_3: (f64, f64, &str) = (238.28, 3410.0, "1331 %");
/// Table V: operation, without tables and with in µs, the improvement as it is printed.
pub(super) const TABLE_5: [(&str, f64, f64, &str); 4] = [
    ("Encrypt", 415.35, 128.28, "223.8 %"),
    ("Decrypt-Share", 239.50, 175.22, "36.7 %"),
    ("Verify-Share", 301.17, 199.89, "50.7 %"),
    ("Combine-Shares", 18_500.0, 18_286.0, "–"),
];

/// Signing: ristretto255, secp256k1, BLS MinSig, BLS MinPk.
pub(super) fn table_2(schemes: &[&Signatures; 4]) -> Table {
    let mut columns = vec!["", "the paper: ECDSA, µs", "BLS, µs", "improvement"];
    columns.extend(schemes.map(|scheme| scheme.name));
    columns.push("MinPk / ristretto255");
    let title = "Table II: signatures by 25 of 100, µs";
    let mut table = Table::new("threshold-table-2", title, &columns);
    for (operation, ecdsa, bls, improvement) in TABLE_2 {
        let times = schemes.map(|scheme| {
            let combined = scheme.with(25);
            match operation {
                "Share-Sign" => scheme.basics.sign,
                "Combine-Shares" => combined.new_set - combined.verify,
                _ => scheme.basics.verify,
            }
        });
        let [ristretto, .., min_pk] = times;
        let cells = [operation.to_owned(), exact(ecdsa), exact(bls), improvement.to_owned()];
        let ours = times.map(|time| figure(time / 1000.0));
        table.row(cells.into_iter().chain(ours).chain([format!("{} ×", figure(min_pk / ristretto))]));
    }
    let line = |scheme: &Signatures| {
        let point = |combined: &super::results::Combined| (combined.needed as f64, combined.new_set / 1000.0);
        Series::new(scheme.name, scheme.combined.iter().map(point).collect())
    };
    let [(_, _, _, _), (_, combine_ecdsa, combine_bls, _), (_, verify_ecdsa, verify_bls, _)] = TABLE_2;
    let paper = [
        Series::dashed("ECDSA, the paper", 0, vec![(25.0, combine_ecdsa + verify_ecdsa)]),
        Series::dashed("BLS, the paper", 3, vec![(25.0, combine_bls + verify_bls)]),
    ];
    let series = schemes.iter().map(|scheme| line(scheme)).chain(paper).collect();
    table.drawing = Some(Drawing::Lines(Lines::new("shares", "µs to combine and verify, N = 100", series)));
    table.note(
        "Share-Sign uses a presignature whose block of the journal is reserved, and updates the guard in memory; \
         disk writes and dealing are not included, as in the paper. Combine-Shares is the time from 25 unverified \
         shares of members whose Lagrange coefficients are not cached to a verified signature, minus the \
         verification. Multiples of the key are precomputed. The paper's ECDSA is over \
         ristretto255 and its BLS is threshold_crypto, whose signatures are in G2 as MinPk's; ours is blst.",
    );
    table
}

/// The protocol's signatures: ristretto255, secp256k1, BLS MinSig, BLS MinPk.
pub(super) fn table_3(schemes: &[&Signatures; 4]) -> Table {
    let (parties, _) = SMALL;
    let title = "Table III: one agreement of 8 parties, 2 faulty, ms";
    let columns = ["", "the paper: the whole protocol", "here: one party's signatures of an epoch"];
    let mut table = Table::new("threshold-table-3", title, &columns);
    let (ecdsa, bls, improvement) = TABLE_3;
    let parties = f64::from(parties);
    for (scheme, paper) in schemes.iter().zip([exact(ecdsa), "–".into(), "–".into(), exact(bls)]) {
        table.row([scheme.name.to_owned(), paper, figure(of_epoch(scheme, parties) / 1e6)]);
    }
    let [ristretto, .., min_pk] = schemes;
    let ratio = of_epoch(min_pk, parties) / of_epoch(ristretto, parties);
    table.row(["improvement".to_owned(), improvement.to_owned(), format!("{} ×", figure(ratio))]);
    table.note(
        "Computed from medians, without running the protocol: one party's processor time for the signatures of an \
         epoch that ends in its first round. It signs a share for each of 8 broadcasts, for four steps of each of 8 promotions and \
         for the round, 41 in all; of 3 shares it combines its broadcast's signature and the round's, of 6 those of its \
         four steps; it verifies the other 35. The paper's batches are of 10,000 transactions, and its time is that of \
         all parties on one machine.",
    );
    table
}

/// Nanoseconds of one party's signatures in an epoch of one round.
fn of_epoch(scheme: &Signatures, parties: f64) -> f64 {
    let [agreed, unagreed] = scheme.small;
    let signed = parties + 4.0 * parties + 1.0;
    let (own_agreed, own_unagreed) = (2.0, 4.0);
    signed * scheme.basics.sign
        + own_agreed * agreed.new_set
        + own_unagreed * unagreed.new_set
        + (signed - own_agreed - own_unagreed) * scheme.basics.verify
}

/// Threshold encryption with tables and without.
pub(super) fn table_5([with, without]: &[Costs; 2]) -> Table {
    let title = "Table V: TDH2, 25 of 100, µs";
    let columns = [
        "",
        "the paper: TDH2",
        "precomputed",
        "improvement",
        "here: TDH2",
        "precomputed",
        "improvement",
        "precomputed, ed",
    ];
    let mut table = Table::new("threshold-table-5", title, &columns);
    let mut bars = Vec::new();
    for (operation, plain, precomputed, improvement) in TABLE_5 {
        let time = |costs: &Costs| match operation {
            "Encrypt" => costs.encrypt,
            "Decrypt-Share" => costs.share,
            "Verify-Share" => costs.verify,
            _ => costs.combine,
        };
        let (ours, tables) = (time(without) / 1000.0, time(with) / 1000.0);
        table.row([
            operation.to_owned(),
            exact(plain),
            exact(precomputed),
            improvement.to_owned(),
            figure(ours),
            figure(tables),
            format!("{:.1} %", 100.0 * (ours / tables - 1.0)),
            figure(time(with) / with.ed),
        ]);
        if operation != "Combine-Shares" {
            for (whose, value) in
                [("the paper", plain), ("the paper, tables", precomputed), ("here", ours), ("tables", tables)]
            {
                bars.push(Bar { name: format!("{operation}, {whose}"), values: vec![value], whiskers: None });
            }
        }
    }
    table.row([
        "Verify-Share, in a batch of 25".to_owned(),
        "–".to_owned(),
        "–".to_owned(),
        "–".to_owned(),
        figure(without.verify_batched / 1000.0),
        figure(with.verify_batched / 1000.0),
        format!("{:.1} %", 100.0 * (without.verify_batched / with.verify_batched - 1.0)),
        figure(with.verify_batched / with.ed),
    ]);
    table.drawing = Some(Drawing::Bars(Bars { x: "µs".to_owned(), parts: vec!["time".to_owned()], bars }));
    table.note(
        "Decrypt-Share includes the mandatory check of the ciphertext; for Combine-Shares, the Lagrange \
         coefficients of the members are not cached. Tables are optional: 61,440 B for those of \
         the encryption key and the second generator, about 1 MB for those of 100 verification keys, which batch \
         verification uses. 250 bytes are encrypted.",
    );
    table
}

/// A value of the paper, with the digits that it has.
fn exact(value: f64) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::results::{Basics, Combined};

    fn scheme(name: &'static str, unit: f64) -> Signatures {
        let combined =
            |needed| Combined { needed, ed: 1.0, new_set: 3.0 * unit, known_set: 2.0 * unit, verify: unit };
        let basics = Basics { ed: 1.0, sign: unit, sign_recorded: None, verify: unit };
        Signatures {
            name,
            basics,
            combined: vec![combined(25), combined(34)],
            small: [combined(3), combined(6)],
        }
    }

    #[test]
    fn the_tables_have_the_papers_values_and_ours() {
        let [a, b, c, d] =
            [("ristretto255", 1e3), ("secp256k1", 2e3), ("BLS MinSig", 4e3), ("BLS MinPk", 8e3)]
                .map(|(name, unit)| scheme(name, unit));
        let all = [&a, &b, &c, &d];
        let two = table_2(&all);
        assert_eq!(two.rows[0].join(" "), "Share-Sign 7.0043 3829 54366.4 % 1 2 4 8 8 ×");
        assert_eq!(two.rows[1].join(" "), "Combine-Shares 10902 14189 30.2 % 2 4 8 16 8 ×");
        assert_eq!(two.rows[2].join(" "), "Verify-Signature 58.528 7820.9 13262.7 % 1 2 4 8 8 ×");
        let three = table_3(&all);
        // 41 shares, two and four combinations of 3, and 35 verifications.
        assert_eq!(three.rows[0].join(" "), format!("ristretto255 238.28 {:.3}", 94.0 / 1e3));
        assert_eq!(three.rows[3][1], "3410");
        assert_eq!(three.rows[4].join(" "), "improvement 1331 % 8 ×");
        let costs = |unit| Costs {
            ed: 1e3,
            encrypt: unit,
            share: 2.0 * unit,
            verify: 3.0 * unit,
            combine: 4.0 * unit,
            verify_batched: unit,
            ..Costs::default()
        };
        let five = table_5(&[costs(1e3), costs(2e3)]);
        assert_eq!(five.rows[0].join(" "), "Encrypt 415.35 128.28 223.8 % 2 1 100.0 % 1");
        assert_eq!(five.rows[1].join(" "), "Decrypt-Share 239.5 175.22 36.7 % 4 2 100.0 % 2");
        assert_eq!(five.rows[2].join(" "), "Verify-Share 301.17 199.89 50.7 % 6 3 100.0 % 3");
        assert_eq!(five.rows[3].join(" "), "Combine-Shares 18500 18286 – 8 4 100.0 % 4");
        for table in [two, five] {
            assert!(table.drawing.is_some_and(|drawing| drawing.svg("t").is_some()));
        }
    }
}
