//! Costs of the real scheme, measured on this machine; simulated processors are busy for these times.

use std::hint::black_box;

use quorate::Result;
use quorate::bls::{Counted, MinSig};
use quorate::certificate::Vote;
use quorate::committee::{Committee, Verified};
use quorate::gossip::Aggregate;
use quorate::scheme::Scheme;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::signers::Signers;
use crate::certificates::SingleEd;
use crate::queue::Nanos;
use crate::row::Row;
use crate::sampling::{Case, SamplePlan, medians};

type Bls = Counted<MinSig>;

/// Size of the paper's largest testbed, for the target of an aggregate's verification.
const TESTBED: usize = 280;
/// Number of signers that is large enough to measure the cost of each.
const MANY: usize = 1000;
/// Number of aggregates in a batch.
const BATCH: usize = 4;
/// The highest count of the row that has a target.
const HIGHEST: u16 = 16;

/// Nanoseconds on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Costs {
    /// Verifying one signature of one signer: hash, subgroup check, pairings.
    pub(super) single: f64,
    /// Each further aggregate of a batch.
    pub(super) another: f64,
    /// Each further signer whose count is not 1.
    pub(super) signer: f64,
    /// Merging two aggregates, per signer.
    pub(super) merge: f64,
    pub(super) sign: Nanos,
    /// One signature of Ed25519 in a large batch.
    pub(super) plain: f64,
}

impl Costs {
    /// Typical values, for tests.
    #[cfg(test)]
    pub(super) const TYPICAL: Self =
        Self { single: 8e5, another: 2e5, signer: 800.0, merge: 5.0, sign: 100_000, plain: 15e3 };

    /// Time to verify this number of aggregates with this total number of signers, and to merge them.
    pub(super) fn check(&self, aggregates: usize, signers: usize) -> Nanos {
        if aggregates == 0 {
            return 0;
        }
        let others = (aggregates - 1) as f64 * self.another;
        (self.single + others + signers as f64 * (self.signer + self.merge)) as Nanos
    }
}

/// Measures the costs, and returns the row that has a target.
pub(super) fn measure(care: SamplePlan) -> Result<(Costs, Vec<Row>)> {
    let (small, large) = (Signers::<Bls>::new(TESTBED)?, Signers::<Bls>::new(MANY)?);
    let counted = small.aggregate(TESTBED, HIGHEST)?;
    let ones = small.aggregate(TESTBED, 1)?;
    let one = large.aggregate(1, 1)?;
    let many = large.aggregate(MANY, HIGHEST)?;
    let few: Vec<Aggregate<Bls>> = large
        .votes
        .iter()
        .take(BATCH)
        .map(|vote| Ok(large.single(vote)?.into_inner()))
        .collect::<Result<_>>()?;
    let (single_ed, secret) = (SingleEd::new(), Bls::generate(&mut StdRng::seed_from_u64(1))?);
    let batch_ed = crate::certificates::DalekBatch::new(64);
    let mut rng = StdRng::seed_from_u64(2);
    let verified = |aggregate: &Verified<Aggregate<Bls>>, committee: &Committee<Bls>| {
        let good = aggregate.check(committee).is_ok();
        assert!(good, "our own aggregate does not verify");
    };
    let mut cases = [
        Case::new(|| single_ed.verify()),
        Case::new(|| verified(&counted, &small.committee)),
        Case::new(|| verified(&ones, &small.committee)),
        Case::new(|| verified(&one, &large.committee)),
        Case::new(|| verified(&many, &large.committee)),
        Case::new(|| {
            let all = Aggregate::verify_batch(&large.committee, few.clone(), &mut rng);
            assert!(all.iter().all(Result::is_ok), "our own aggregates do not verify together");
        }),
        Case::new(|| black_box(many.merge(&one, u16::MAX)).is_ok()),
        Case::new(|| Vote::<Bls>::sign_unguarded(&secret, &large.committee, large.statement).is_ok()),
        Case::new(|| batch_ed.verify()),
    ];
    let times: [f64; 9] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 9]);
    let [ed, counted_time, ones_time, single, many_time, batch, merge, sign, plain] = times;
    let costs = Costs {
        single,
        another: ((batch - single) / (BATCH - 1) as f64).max(0.0),
        signer: ((many_time - single) / (MANY - 1) as f64).max(0.0),
        merge: merge / MANY as f64,
        sign: sign as Nanos,
        plain: plain / 64.0,
    };
    let in_ed =
        |what: String, time: f64| Row::new(what, time / ed, "ed").note(format!("{:.1} µs", time / 1000.0));
    let rows = vec![
        Row::new("one ed25519-dalek verify_strict (ed)", ed / 1000.0, "µs"),
        in_ed(format!("verify an aggregate of {TESTBED} signers, counts to {HIGHEST}"), counted_time)
            .at_most(36.0),
        in_ed(format!("verify an aggregate of {TESTBED} signers, counts of 1"), ones_time),
        in_ed(format!("verify an aggregate of {MANY} signers, counts to {HIGHEST}"), many_time),
        in_ed("verify an aggregate of one signer".into(), single),
        in_ed(format!("verify {BATCH} aggregates of one signer together, each"), batch / BATCH as f64),
        in_ed(format!("merge an aggregate of {MANY} signers with another"), merge),
        in_ed("sign P or TC".into(), sign),
    ];
    Ok((costs, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_check_is_the_sum_of_its_parts() {
        let costs = Costs::TYPICAL;
        assert_eq!(costs.check(0, 0), 0);
        assert_eq!(costs.check(1, 0), 800_000);
        assert_eq!(costs.check(3, 100), 800_000 + 400_000 + 80_500);
    }
}
