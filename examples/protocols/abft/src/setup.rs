//! What a committee agrees on, and a member's secrets.

use std::fmt;
use std::sync::Arc;

use quorate::committee::CommitteeId;
use quorate::erasure::{Coding, ErasureSuite, Shape};
use quorate::machine::MemberIndex;
use quorate::threshold::{Agreement, Threshold, Tolerance, coin};
use quorate::{Error, Result};
use rand_core::TryCryptoRng;

use crate::signatures::ThresholdScheme;

/// The public parameters and keys of a committee.
pub struct Setup<S: ThresholdScheme> {
    /// The committee.
    pub committee: CommitteeId,
    /// Numbers of members N and of tolerated faulty members f.
    pub tolerance: Tolerance,
    /// The erasure code of the broadcasts: N − 2f data shards and 2f parity shards. [`deal`](Setup::deal) takes the
    /// recommended code; a committee may agree on one of the [tuner](quorate::erasure::tuner)'s instead.
    pub coding: Coding,
    /// Keys for statements that are the same at all members: f + 1 shares.
    pub agreed: Arc<S::GroupKey>,
    /// Keys for statements that a proposer chooses: ⌊(N + f)/2⌋ + 1 shares.
    pub unagreed: Arc<S::GroupKey>,
    /// Keys of the common coin: f + 1 shares.
    pub coin: Arc<coin::PublicKeys>,
}

/// A member's secret key shares.
pub struct Secrets<S: ThresholdScheme> {
    /// Its share of [`Setup::agreed`].
    pub agreed: S::KeyShare,
    /// Its share of [`Setup::unagreed`].
    pub unagreed: S::KeyShare,
    /// Its share of [`Setup::coin`].
    pub coin: coin::KeyShare,
}

/// All that the machines of one epoch share: keys, the epoch, and this member.
pub struct Context<S: ThresholdScheme> {
    /// The committee's parameters.
    pub setup: Arc<Setup<S>>,
    /// This member's secrets.
    pub secrets: Arc<Secrets<S>>,
    /// The epoch, which every signed statement names.
    pub epoch: u64,
}

impl<S: ThresholdScheme> Setup<S> {
    /// Deals all keys of a committee. **The process that runs this knows the keys.** `max_message` is the maximum
    /// length of a broadcast in bytes.
    ///
    /// # Errors
    /// [`Error::Rng`], [`Error::TooLarge`], [`Error::BadShape`].
    pub fn deal<R: TryCryptoRng + ?Sized>(
        committee: CommitteeId,
        tolerance: Tolerance,
        max_message: usize,
        rng: &mut R,
    ) -> Result<(Self, Vec<Secrets<S>>)> {
        let (members, faulty) = (tolerance.parties(), tolerance.faulty());
        let shape = Shape::for_committee(members, faulty)?;
        let coding = Coding::new(ErasureSuite::recommended(shape), shape, max_message)?;
        let agreed = S::deal(committee, tolerance, Agreement::Agreed, rng)?;
        let unagreed = S::deal(committee, tolerance, Agreement::Unagreed, rng)?;
        let (coin, coins) = coin::PublicKeys::deal(committee, Threshold::new(faulty + 1, members)?, rng)?;
        let no_members = Error::BadCommittee { rule: "a committee has at least one member" };
        let setup = Self {
            committee,
            tolerance,
            coding,
            agreed: agreed.first().map(S::group_key).ok_or(no_members.clone())?,
            unagreed: unagreed.first().map(S::group_key).ok_or(no_members)?,
            coin: Arc::new(coin.precomputed()),
        };
        let secrets = agreed.into_iter().zip(unagreed).zip(coins);
        let secrets = secrets.map(|((agreed, unagreed), coin)| Secrets { agreed, unagreed, coin });
        Ok((setup, secrets.collect()))
    }

    /// Returns the number of members N.
    pub fn members(&self) -> u16 {
        self.tolerance.parties()
    }

    /// Returns N − f, the number of members that a member can wait for.
    pub(crate) fn available(&self) -> usize {
        usize::from(self.tolerance.parties() - self.tolerance.faulty())
    }
}

impl<S: ThresholdScheme> Context<S> {
    /// Returns this member.
    pub fn me(&self) -> MemberIndex {
        S::member(&self.secrets.agreed)
    }
}

impl<S: ThresholdScheme> Clone for Context<S> {
    fn clone(&self) -> Self {
        Self { setup: self.setup.clone(), secrets: self.secrets.clone(), epoch: self.epoch }
    }
}

impl<S: ThresholdScheme> fmt::Debug for Context<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Context(member {}, epoch {})", self.me(), self.epoch)
    }
}
