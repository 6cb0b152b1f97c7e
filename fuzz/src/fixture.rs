//! Committees and votes that are the same on every run.

use std::sync::{Arc, LazyLock};

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::certificate::{Kind, Statement, TimeoutVote, Vote};
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::{Scheme, Toy, VerifiedKey};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Weights of the members. They differ, so that a count of members instead of weight is detected.
const WEIGHTS: [u128; MEMBERS] = [3, 1, 4, 1, 5, 2, 6];
/// Number of members.
pub(crate) const MEMBERS: usize = 7;
/// Number of signed statements of one view.
pub(crate) const CHOICES: usize = 3;
/// The kind of plain votes.
pub(crate) const VOTE: Kind = Kind::new(1);
/// The kind of timeout votes.
pub(crate) const TIMEOUT: Kind = Kind::new(2);
/// The view of all votes.
pub(crate) const VIEW: u64 = 9;

/// A committee with its secret keys, and every member's signature on every choice.
pub(crate) struct Fixture<S: Scheme> {
    pub(crate) secrets: Vec<S::SecretKey>,
    pub(crate) committee: Arc<Committee<S>>,
    votes: Vec<Vec<Vote<S>>>,
    timeouts: Vec<Vec<TimeoutVote<S>>>,
}

/// Members of a Jolteon committee.
pub(crate) const FOUR: MemberIndex = 4;

/// Four equal members, for replicas.
pub(crate) struct Four<S: Scheme> {
    pub(crate) committee: Arc<Committee<S>>,
}

/// A scheme with fixed committees.
pub(crate) trait Fixed: Scheme {
    /// Seven members with their votes.
    fn fixture() -> &'static Fixture<Self>;
    /// Four members.
    fn four() -> &'static Four<Self>;
}

macro_rules! fixed {
    ($($scheme:ty),*) => {$(
        impl Fixed for $scheme {
            fn fixture() -> &'static Fixture<Self> {
                static FIXTURE: LazyLock<Fixture<$scheme>> = LazyLock::new(Fixture::make);
                &FIXTURE
            }

            fn four() -> &'static Four<Self> {
                static FOUR: LazyLock<Four<$scheme>> = LazyLock::new(Four::make);
                &FOUR
            }
        }
    )*};
}
fixed!(MinSig, MinPk, Ed25519, Counted<MinSig>, Counted<MinPk>, Toy);

#[allow(clippy::expect_used, clippy::indexing_slicing)] // the fixture is the same on every run
impl<S: Scheme> Fixture<S> {
    fn make() -> Self {
        let mut rng = StdRng::seed_from_u64(u64::from(S::SUITE));
        let secrets: Vec<_> =
            WEIGHTS.iter().map(|_| S::generate(&mut rng).expect("a seeded generator")).collect();
        let members = secrets.iter().map(VerifiedKey::<S>::from_secret).zip(WEIGHTS).collect();
        let committee = Committee::new(ChainId::from_name("fuzz"), 1, members).expect("seven distinct keys");
        let vote = |secret, choice| {
            let statement = Self::statement_in(&committee, choice);
            Vote::sign_unguarded(secret, &committee, statement).expect("a member's key")
        };
        let timeout = |secret, choice| {
            TimeoutVote::sign_unguarded(secret, &committee, TIMEOUT, VIEW, Self::value(choice))
                .expect("a member's key")
        };
        let votes = secrets.iter().map(|s| (0..CHOICES).map(|c| vote(s, c)).collect()).collect();
        let timeouts = secrets.iter().map(|s| (0..CHOICES).map(|c| timeout(s, c)).collect()).collect();
        Self { committee: Arc::new(committee), votes, timeouts, secrets }
    }

    /// A member's valid vote for a choice.
    pub(crate) fn vote(&self, member: usize, choice: usize) -> Vote<S> {
        self.votes[member % MEMBERS][choice % CHOICES].clone()
    }

    /// A member's valid timeout vote with a choice's value.
    pub(crate) fn timeout(&self, member: usize, choice: usize) -> TimeoutVote<S> {
        self.timeouts[member % MEMBERS][choice % CHOICES].clone()
    }

    /// The statement of a choice.
    pub(crate) fn statement(&self, choice: usize) -> Statement {
        Self::statement_in(&self.committee, choice)
    }

    /// The value of a timeout vote for a choice.
    pub(crate) fn value(choice: usize) -> u64 {
        [8, 3, 7][choice % CHOICES]
    }

    /// The weight of members.
    pub(crate) fn weight(&self, members: impl IntoIterator<Item = usize>) -> u128 {
        members.into_iter().map(|member| WEIGHTS[member % MEMBERS]).sum()
    }

    fn statement_in(committee: &Committee<S>, choice: usize) -> Statement {
        committee.statement(VOTE, VIEW, [choice as u8; 32])
    }
}

#[allow(clippy::expect_used, clippy::indexing_slicing)] // the fixture is the same on every run
impl<S: Scheme> Four<S> {
    fn make() -> Self {
        let members =
            (0..FOUR).map(|member| (VerifiedKey::<S>::from_secret(&Self::secret_of(member)), 1)).collect();
        let committee = Committee::new(ChainId::from_name("fuzz"), 1, members).expect("four distinct keys");
        Self { committee: Arc::new(committee) }
    }

    /// A member's key: each replica owns its copy.
    pub(crate) fn secret(&self, member: MemberIndex) -> S::SecretKey {
        Self::secret_of(member)
    }

    fn secret_of(member: MemberIndex) -> S::SecretKey {
        let mut bytes = [0; 32];
        bytes[2] = member as u8 + 1;
        S::secret_from_bytes(&bytes).expect("a small number is a key")
    }
}

/// Converts to an index into a committee.
pub(crate) fn index(member: usize) -> MemberIndex {
    (member % MEMBERS) as MemberIndex
}
