//! The state of the agreement, and what all its phases use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use quorate::machine::{MemberIndex, Step};
use quorate::threshold::coin::{Coin, CoinName, CoinShare, VerifiedShare};
use quorate::{Error, Result};

use super::interface::{COIN_PROTOCOL, Output, Validity};
use super::message::{
    Certificate, Digest, Held, Limits, Message, Stage, View, completion_statement, digest,
    promotion_statement,
};
use crate::checks::{Check, Checks};
use crate::random::SeededRandom;
use crate::setup::Context;
use crate::signatures::{Collector, ThresholdScheme};

/// The phase of a view. Completion is part of the promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The member votes in promotions.
    Promoting,
    /// The promotions are abandoned and the leader is not known.
    Electing,
    /// The leader is known.
    Reporting,
    /// A value is decided, or an internal operation failed.
    Finished,
}

/// One instance of agreement at one member. See the [module](super).
pub struct Agreement<S: ThresholdScheme> {
    pub(super) context: Context<S>,
    pub(super) checks: Checks,
    pub(super) limits: Limits,
    pub(super) validity: Validity,
    pub(super) random: SeededRandom,
    pub(super) input: Option<Vec<u8>>,
    pub(super) phase: Phase,
    pub(super) view: View,
    /// The leaders of the views before, and of this one once it is elected.
    pub(super) leaders: Vec<MemberIndex>,
    /// The certified value to promote, with its key.
    pub(super) key: Option<(Vec<u8>, Certificate<S>)>,
    /// The view of the lock; 0 without one.
    pub(super) lock: View,
    /// Digests of values that satisfied the predicate: those of this view.
    pub(super) valid: BTreeSet<Digest>,
    /// The promotions of this view, by proposer.
    pub(super) acceptances: BTreeMap<MemberIndex, Acceptance<S>>,
    pub(super) promotion: Option<Promotion<S>>,
    pub(super) completion: Completion<S>,
    pub(super) election: Election<S>,
    /// Messages of later views, by view, sender and slot.
    pub(super) later: BTreeMap<(View, MemberIndex, u8), Message<S>>,
}

impl<S: ThresholdScheme> Agreement<S> {
    /// Creates the instance of the context's epoch. `max_value` is the maximum length of a value in bytes; `seed` is
    /// secret and used for this instance only.
    ///
    /// # Errors
    /// Those of [`Coin::from_name`](quorate::threshold::coin::Coin::from_name).
    pub fn new(context: Context<S>, max_value: usize, validity: Validity, seed: [u8; 32]) -> Result<Self> {
        Self::with_checks(context, max_value, validity, seed, Checks::default())
    }

    pub(crate) fn with_checks(
        context: Context<S>,
        max_value: usize,
        validity: Validity,
        seed: [u8; 32],
        checks: Checks,
    ) -> Result<Self> {
        let coin_shares = usize::from(context.setup.tolerance.faulty()) + 1;
        Ok(Self {
            completion: Completion::new(&context, 1),
            election: Election::new(&context, 1)?,
            random: SeededRandom::in_epoch(seed, &context),
            context,
            checks,
            limits: Limits { value: max_value, coin_shares },
            validity,
            input: None,
            phase: Phase::Promoting,
            view: 1,
            leaders: Vec::new(),
            key: None,
            lock: 0,
            valid: BTreeSet::new(),
            acceptances: BTreeMap::new(),
            promotion: None,
            later: BTreeMap::new(),
        })
    }

    /// Returns the bounds for decoders.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the current view.
    pub fn view(&self) -> View {
        self.view
    }

    /// Returns true if a value is decided or the machine is broken: it then ignores all input.
    pub fn is_finished(&self) -> bool {
        self.phase == Phase::Finished
    }

    /// Returns true if a value satisfies the predicate, which is evaluated once per value.
    pub(super) fn is_valid(&mut self, value: &[u8]) -> bool {
        let digest = digest(value);
        if self.valid.contains(&digest) {
            return true;
        }
        let is_valid = !self.checks.has(Check::MvbaValidity) || (self.validity)(value);
        if is_valid {
            self.valid.insert(digest);
        }
        is_valid
    }

    /// Verifies a certificate of a proposer's promotion.
    pub(super) fn verify(
        &self,
        view: View,
        proposer: MemberIndex,
        stage: Stage,
        digest: &Digest,
        signature: &S::Signature,
    ) -> Result<()> {
        let setup = &self.context.setup;
        let statement =
            promotion_statement(&setup.committee, self.context.epoch, view, proposer, stage, digest);
        S::verify(&setup.unagreed, &statement, signature)
    }

    pub(super) fn leader(&self, view: View) -> Option<MemberIndex> {
        let place = usize::try_from(view.checked_sub(1)?).ok()?;
        self.leaders.get(place).copied()
    }

    pub(super) fn fail(&mut self, error: Error, step: &mut Step<Self>) {
        self.phase = Phase::Finished;
        step.output(Output::Broken(error));
    }
}

/// What this member accepted of a proposer's promotion.
pub(super) struct Acceptance<S: ThresholdScheme> {
    /// The value of stage 1, once accepted.
    pub(super) value: Option<(Digest, Vec<u8>)>,
    /// Certificates of later stages that arrived before stage 1, by the stage that carried them.
    pub(super) early: BTreeMap<Stage, S::Signature>,
    /// Stages in which this member voted.
    pub(super) voted: BTreeSet<Stage>,
    /// The highest certificate.
    pub(super) certificate: Option<(Stage, S::Signature)>,
}

/// This member's own promotion.
pub(super) struct Promotion<S: ThresholdScheme> {
    pub(super) digest: Digest,
    pub(super) stage: Stage,
    pub(super) votes: Collector<S>,
    /// The votes of earlier stages that are in doubt: an opening may still show which were wrong.
    pub(super) doubted: BTreeMap<Stage, Collector<S>>,
}

/// The complete promotions of a view, and the shares of the skip certificate.
pub(super) struct Completion<S: ThresholdScheme> {
    pub(super) done: BTreeSet<MemberIndex>,
    /// Certificates of the last stage, by proposer, until there are enough to verify them together.
    pub(super) unverified: BTreeMap<MemberIndex, (Digest, S::Signature)>,
    pub(super) skip_sent: bool,
    pub(super) shares: Collector<S>,
}

impl<S: ThresholdScheme> Completion<S> {
    pub(super) fn new(context: &Context<S>, view: View) -> Self {
        let statement = completion_statement(&context.setup.committee, context.epoch, view);
        let shares = Collector::new("skip certificate", &context.setup.agreed, &statement);
        Self { done: BTreeSet::new(), unverified: BTreeMap::new(), skip_sent: false, shares }
    }
}

impl<S: ThresholdScheme> Default for Acceptance<S> {
    fn default() -> Self {
        Self { value: None, early: BTreeMap::new(), voted: BTreeSet::new(), certificate: None }
    }
}

/// The election of a view, and the reports of the leader's promotion.
pub(super) struct Election<S: ThresholdScheme> {
    pub(super) coin: Coin,
    /// The first coin share of each member that is not verified.
    pub(super) pending: BTreeMap<MemberIndex, CoinShare>,
    pub(super) verified: BTreeMap<MemberIndex, (CoinShare, VerifiedShare)>,
    /// Members whose share was wrong. Their further shares are ignored, so that f + 1 + f shares are verified at most.
    pub(super) wrong: BTreeSet<MemberIndex>,
    /// The verified reports; before the leader is known, unverified ones.
    pub(super) reports: BTreeMap<MemberIndex, Option<Held<S>>>,
}

impl<S: ThresholdScheme> Election<S> {
    pub(super) fn new(context: &Context<S>, view: View) -> Result<Self> {
        Ok(Self {
            coin: coin(context, view)?,
            pending: BTreeMap::new(),
            verified: BTreeMap::new(),
            wrong: BTreeSet::new(),
            reports: BTreeMap::new(),
        })
    }

    /// Returns the f + 1 shares that proved the election.
    pub(super) fn proof(&self, needed: usize) -> Vec<CoinShare> {
        self.verified.values().take(needed).map(|(share, _)| *share).collect()
    }
}

/// Returns the coin that elects the leader of a view.
pub(super) fn coin<S: ThresholdScheme>(context: &Context<S>, view: View) -> Result<Coin> {
    let name =
        CoinName { protocol: COIN_PROTOCOL, epoch: context.epoch, instance: 0, round: u64::from(view) };
    Coin::from_name(&context.setup.coin, name)
}

impl<S: ThresholdScheme> fmt::Debug for Agreement<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agreement({:?}, view {}, {:?})", self.context, self.view, self.phase)
    }
}
