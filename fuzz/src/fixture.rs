//! Committees that are the same on every run.

use std::sync::{Arc, LazyLock};

use quorate::bls::{MinPk, MinSig};
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, VerifiedKey};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Weights of the members. They differ, so that counting members instead of weight shows.
const WEIGHTS: [u128; 7] = [3, 1, 4, 1, 5, 2, 6];

/// A committee with its secret keys.
pub(crate) struct Fixture<S: Scheme> {
    pub(crate) secrets: Vec<S::SecretKey>,
    pub(crate) committee: Arc<Committee<S>>,
}

/// A scheme with a committee of ours.
pub(crate) trait Fixed: Scheme {
    /// The committee.
    fn fixture() -> &'static Fixture<Self>;
}

macro_rules! fixed {
    ($($scheme:ty),*) => {$(
        impl Fixed for $scheme {
            fn fixture() -> &'static Fixture<Self> {
                static FIXTURE: LazyLock<Fixture<$scheme>> = LazyLock::new(Fixture::make);
                &FIXTURE
            }
        }
    )*};
}
fixed!(MinSig, MinPk, Ed25519);

impl<S: Scheme> Fixture<S> {
    #[allow(clippy::expect_used)] // without its fixture a target cannot run at all
    fn make() -> Self {
        let mut rng = StdRng::seed_from_u64(u64::from(S::SUITE));
        let secrets: Vec<_> =
            WEIGHTS.iter().map(|_| S::generate(&mut rng).expect("a seeded generator")).collect();
        let members = secrets.iter().map(VerifiedKey::<S>::of).zip(WEIGHTS).collect();
        let committee = Committee::new(ChainId::from_name("fuzz"), 1, members).expect("seven distinct keys");
        Self { secrets, committee: Arc::new(committee) }
    }
}
