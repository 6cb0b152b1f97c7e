//! A deterministic network for the tests: it replays a seed, chooses the order of all messages, and plays Byzantine
//! members.

mod network;
pub(crate) mod presigned;
mod schedule;

use std::sync::Arc;

use quorate::committee::CommitteeId;
use quorate::threshold::Tolerance;
use rand::SeedableRng;
use rand::rngs::StdRng;

pub(crate) use network::Network;
pub(crate) use schedule::{Schedule, schedules};

use crate::checks::{Check, Checks};
use crate::setup::{Context, Secrets, Setup};
use crate::signatures::ThresholdScheme;

/// The result of a checker: the violated property.
pub(crate) type Verdict = Result<(), String>;

/// Returns the number of seeds: that of the environment variable `ABFT_SEEDS`, or the default of the test.
pub(crate) fn seeds(default: u64) -> std::ops::Range<u64> {
    0..std::env::var("ABFT_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(default)
}

/// The keys of a committee, dealt once for many runs.
pub(crate) struct Keys<S: ThresholdScheme> {
    pub(crate) setup: Arc<Setup<S>>,
    pub(crate) secrets: Vec<Arc<Secrets<S>>>,
}

impl<S: ThresholdScheme> Keys<S> {
    pub(crate) fn deal(members: u16, faulty: u16) -> Self {
        let mut rng = StdRng::seed_from_u64(members.into());
        let tolerance = Tolerance::new(members, faulty).unwrap();
        let (setup, secrets) = Setup::deal(CommitteeId([7; 32]), tolerance, 1 << 16, &mut rng).unwrap();
        Self { setup: Arc::new(setup), secrets: secrets.into_iter().map(Arc::new).collect() }
    }

    pub(crate) fn context(&self, member: u16, epoch: u64) -> Context<S> {
        let secrets = self.secrets[usize::from(member)].clone();
        Context { setup: self.setup.clone(), secrets, epoch }
    }
}

/// Runs a test with a variant that omits a check, and asserts that the checkers refuse it with some seed with which
/// they accept the complete protocol.
pub(crate) fn assert_noticed<T>(check: Check, run: impl Fn(u64, Checks) -> Result<T, String>) {
    let is_noticed =
        |seed| run(seed, Checks::without(check)).is_err() && run(seed, Checks::default()).is_ok();
    assert!((0..200).any(is_noticed), "no checker notices in 200 runs that {check:?} is omitted");
}

/// Returns an error unless a condition holds.
pub(crate) fn ensure(holds: bool, property: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(property()) }
}
