//! Figure 11: one signer with many verifiers, one verifier with many signers.
//!
//! In the paper each party has two cores of its own machine. One machine has fewer cores; but a party never waits, so its
//! processor time determines its speed. The throughput with many parties is computed from it, and from the bandwidth of
//! 10 Gbps.

use std::hint::black_box;

use quorate::dsig::{Signature, Signer, SignerConfig, Verifier, VerifierConfig, WotsHaraka256};
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::costs::Costs;
use super::paper::{kilo, micros};
use crate::chart::{Drawing, Lines, Series};
use crate::progress::progress;
use crate::sampling::{Case, SamplePlan, medians};
use crate::table::Table;

/// Bytes per second of 10 Gbps.
pub(super) const LINK: f64 = 10e9 / 8.0;
/// Bytes of the announcement per DSig signature.
pub(super) const ANNOUNCED: f64 = 33.0;
const MESSAGE: [u8; 8] = [11; 8];
/// Bytes of an EdDSA signature.
const EDDSA: usize = 64;
const NOW: Time = Time(1);

/// Both halves.
pub(super) fn figure_11(care: SamplePlan, costs: &Costs) -> Result<Vec<Table>> {
    progress("dsig", "Figure 11, one to many");
    let copies = [costs.signature_bytes, EDDSA].map(|bytes| vec![7u8; MESSAGE.len() + bytes]);
    let [long, short] = &copies;
    let (mut sent, mut sent_short) = (Vec::new(), Vec::new());
    let mut cases = [Case::new(|| copy(&mut sent, long)), Case::new(|| copy(&mut sent_short, short))];
    let [copy, copy_short] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 2]);
    let one_to_many = one_to_many(costs, [copy, copy_short]);
    Ok(vec![one_to_many, many_to_one(care, costs)?])
}

/// Minimum time to send a message.
fn copy(into: &mut Vec<u8>, bytes: &[u8]) -> usize {
    into.clear();
    into.extend_from_slice(black_box(bytes));
    black_box(into.len())
}

/// Operations per second of parts that work in parallel, from the nanoseconds of each.
fn slowest(parts: &[f64]) -> f64 {
    1e9 / parts.iter().copied().fold(0.0, f64::max)
}

fn one_to_many(costs: &Costs, [copy, copy_short]: [f64; 2]) -> Table {
    let columns = [
        "verifiers",
        "DSig, k/s",
        "DSig within 10 Gbps, k/s",
        "EdDSA, k/s",
        "the paper: DSig, k/s",
        "EdDSA, k/s",
    ];
    let title = "Figure 11, left: verifications of one signer's signatures by many, computed";
    let mut table = Table::new("dsig-figure-11-one-to-many", title, &columns);
    let carried = LINK / (MESSAGE.len() as f64 + costs.signature_bytes as f64 + ANNOUNCED);
    let mut lines = [
        Series::new("DSig", vec![]),
        Series::new("DSig within 10 Gbps", vec![]),
        Series::new("EdDSA", vec![]),
    ];
    for verifiers in [1u8, 2, 3, 4, 5, 6, 8, 11, 16, 32] {
        let count = f64::from(verifiers);
        let dsig =
            count * slowest(&[costs.generate, costs.sign + count * copy, costs.verify, costs.announce]);
        // Its two cores sign different messages, and verify different messages.
        let eddsa = 2.0 * count * slowest(&[costs.ed_sign + count * copy_short, costs.ed_verify]);
        let rates = [dsig, dsig.min(carried), eddsa];
        let paper = match verifiers {
            5 => ["577", "–"],
            11 => ["–", "603"],
            _ => ["–", "–"],
        };
        let cells = [verifiers.to_string()].into_iter().chain(rates.map(kilo));
        table.row(cells.chain(paper.map(str::to_owned)));
        for (line, rate) in lines.iter_mut().zip(rates) {
            line.points.push((count, rate / 1000.0));
        }
    }
    let papers = [
        Series::dashed("DSig, the paper: the link is full", 0, vec![(5.0, 577.0)]),
        Series::dashed("EdDSA, the paper: overtakes", 2, vec![(11.0, 603.0)]),
    ];
    let series = lines.into_iter().chain(papers).collect();
    table.drawing =
        Some(Drawing::Lines(Lines::new("verifiers", "thousand verifications per second", series)));
    table.note(format!(
        "Computed from processor time of one party at a time, with two cores for each as in the paper: DSig's signer {} \
         µs in the foreground, a copy of {} µs for each verifier, {} µs in the background; its verifier {} and {} µs. \
         There is no network. 10 Gbps carry {} k/s of such signatures if nothing else is sent; the paper's were \
         full at 577 k/s, about 7 Gbps.",
        micros(costs.sign),
        micros(copy),
        micros(costs.generate),
        micros(costs.verify),
        micros(costs.announce),
        kilo(carried)
    ));
    table
}

fn many_to_one(care: SamplePlan, costs: &Costs) -> Result<Table> {
    let columns = [
        "signers",
        "verify one, µs",
        "DSig, k/s",
        "DSig within 10 Gbps, k/s",
        "EdDSA, k/s",
        "the paper: DSig, k/s",
        "EdDSA, k/s",
    ];
    let title = "Figure 11, right: one verifier of many signers' signatures, computed";
    let mut table = Table::new("dsig-figure-11-many-to-one", title, &columns);
    let carried = LINK / (MESSAGE.len() as f64 + costs.signature_bytes as f64 + ANNOUNCED);
    let counts = [1u8, 2, 4, 8, 16, 32];
    progress("dsig", "Figure 11, many to one");
    let mut signer_sets: Vec<SignedMessages> =
        counts.iter().map(|count| SignedMessages::from_signers(*count)).collect::<Result<_>>()?;
    let mut cases: Vec<_> = signer_sets
        .iter_mut()
        .map(|messages| Case::new(|| assert!(messages.verify_next().is_ok())))
        .collect();
    let times = medians(&mut cases, care);
    drop(cases);
    let mut lines = [
        Series::new("DSig", vec![]),
        Series::new("DSig within 10 Gbps", vec![]),
        Series::new("EdDSA", vec![]),
    ];
    for (signers, verify) in counts.into_iter().zip(times) {
        let count = f64::from(signers);
        let dsig = (count * slowest(&[costs.generate, costs.sign])).min(slowest(&[verify, costs.announce]));
        let eddsa = 2.0 * (count * slowest(&[costs.ed_sign])).min(slowest(&[costs.ed_verify]));
        let rates = [dsig, dsig.min(carried), eddsa];
        let paper = match signers {
            1 => ["–", "53"],
            _ => ["190", "53"],
        };
        let cells = [signers.to_string(), micros(verify)].into_iter().chain(rates.map(kilo));
        table.row(cells.chain(paper.map(str::to_owned)));
        for (line, rate) in lines.iter_mut().zip(rates) {
            line.points.push((count, rate / 1000.0));
        }
    }
    let papers = [
        Series::dashed("DSig, the paper", 0, vec![(2.0, 190.0), (11.0, 190.0)]),
        Series::dashed("EdDSA, the paper", 2, vec![(1.0, 53.0), (11.0, 53.0)]),
    ];
    let series = lines.into_iter().chain(papers).collect();
    table.drawing = Some(Drawing::Lines(Lines::new("signers", "thousand verifications per second", series)));
    table.note(
        "Computed in the same way, but the time of a verification is measured with this number of alternating \
         signers, whose batches compete for the verifier's cache.",
    );
    Ok(table)
}

/// A verifier and the signed messages of many signers.
struct SignedMessages {
    verifier: Verifier<WotsHaraka256>,
    /// Signers and signatures; consecutive ones are of different signers.
    signed: Vec<(quorate::ed25519::PublicKey, Vec<u8>)>,
    next: usize,
}

impl SignedMessages {
    fn from_signers(signers: u8) -> Result<Self> {
        let mut verifier = Verifier::new(VerifierConfig::default());
        let mut all = Vec::new();
        for seed in 0..signers {
            let mut rng = StdRng::seed_from_u64(seed.into());
            let config = SignerConfig { low_water: 1, ..SignerConfig::default() };
            let mut signer =
                Signer::<WotsHaraka256>::new(Ed25519::generate(&mut rng)?, vec![], config, &mut rng)?;
            let key = signer.public_key().clone();
            verifier.admit(key.clone());
            while let Some(made) = signer.prepare(&mut rng, NOW)? {
                verifier.announce(&key, &made.announcement.encode(), NOW)?;
            }
            for number in 0..signer.ready() {
                all.push((number, (key.clone(), signer.sign(&MESSAGE, &[], NOW)?.encode())));
            }
        }
        // Stable: signers take turns.
        all.sort_by_key(|(number, _)| *number);
        Ok(Self { verifier, signed: all.into_iter().map(|(_, signed)| signed).collect(), next: 0 })
    }

    fn verify_next(&mut self) -> Result<()> {
        let at = self.next % self.signed.len().max(1);
        self.next = at + 1;
        let (signer, bytes) = self.signed.get(at).ok_or(Error::Exhausted)?;
        let signature = Signature::decode(bytes, &())?;
        self.verifier.verify(signer, &MESSAGE, &signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signers_take_turns_and_all_verify() {
        let mut messages = SignedMessages::from_signers(3).unwrap();
        assert_eq!(messages.signed.len(), 3 * 128);
        let first: Vec<_> = messages.signed.iter().take(3).map(|(key, _)| key.as_bytes().to_vec()).collect();
        assert!(first[0] != first[1] && first[1] != first[2] && first[0] != first[2]);
        for _ in 0..3 * 128 + 1 {
            messages.verify_next().unwrap();
        }
    }

    #[test]
    fn the_slowest_party_decides() {
        assert_eq!(slowest(&[1000.0, 4000.0]), 250_000.0);
    }
}
