//! Shares come in, a signature goes out: optimistically, and with blame.
//!
//! Honest parties are the rule, so shares are not checked when they arrive (the paper's section II.A.2). The first t are
//! combined and the signature is verified. Only if that fails, each of the t is checked; wrong ones are dropped and their
//! parties named; and the next combination is made as soon as t shares are there again. With a failed combinations
//!
//! * at most **a + 1 combinations** are made, and a ≤ f, for each failure takes a wrong share out of use;
//! * at most **t + f shares are checked**, for with t right ones the signature is there.
//!
//! [`Counts`] says how many it were.
//!
//! **What is needed to check a share** depends on the scheme. A BLS share is checked under the party's key. An ECDSA share
//! is checked against its party's opening, which is asked for only now: [`Outcome::wanted`] says of whom. Shares wait
//! unused until their opening comes; t others can still make the signature.
//!
//! **Decoding.** Where t = f + 1, shares of others replace openings: with t + 2e shares, of which at most e are wrong, the
//! polynomial through the right ones can be found. The signature that follows is verified, so that it is right in any
//! case. The blame is not right in any case: f parties who know what others sent can place their shares on a polynomial
//! of their own, with the same signature, on which an honest party's share does not lie. So an outlier is named only when
//! t + f shares agree against it, of which t are honest and leave one polynomial.
//!
//! **What was combined together stays together.** That a signature verifies does not say that each share was right: two
//! wrong ones may cancel. No share is ever called right but by its own check.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt::Debug;

use super::group::Field;
use super::lagrange::{Cache, IndexSet};
use super::sharing::{ShareIndex, Threshold};
use crate::machine::{Fault, MemberIndex};
use crate::{Error, Result};

/// One message that is signed by many, and how its shares become a signature.
pub trait Instance {
    /// Where the shares' polynomials live.
    type Scalar: Field;
    /// A party's part.
    type Share: Clone + Debug;
    /// What a share is checked against, if the instance does not have it.
    type Opening;
    /// What t right shares make.
    type Signature: Clone + Debug;
    /// What proves that a share was wrong.
    type Evidence: Debug;

    /// How many shares make a signature.
    fn threshold(&self) -> Threshold;

    /// How many parties may be faulty.
    fn faulty(&self) -> u16;

    /// Whose share it is.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a share of something else, [`Error::UnknownSigner`].
    fn index(&self, share: &Self::Share) -> Result<ShareIndex>;

    /// Interpolates at zero, and returns the signature if it verifies.
    fn combine(&self, coefficients: &[Self::Scalar], shares: &[&Self::Share]) -> Option<Self::Signature>;

    /// Whether a share is right. `None` if that takes an opening.
    ///
    /// # Errors
    /// What is wrong with the opening.
    fn check(&self, share: &Self::Share, opening: Option<&Self::Opening>) -> Result<Option<bool>>;

    /// Proof that a share that was found to be wrong is.
    fn evidence(&self, share: &Self::Share, opening: Option<&Self::Opening>) -> Self::Evidence;

    /// Whether [`decode`](Instance::decode) ever finds anything.
    fn decodes(&self) -> bool {
        false
    }

    /// Finds the polynomial that all but few shares lie on, and returns the signature if it verifies, with the shares
    /// that lie elsewhere.
    fn decode(&self, _shares: &[&Self::Share]) -> Option<(Self::Signature, Vec<ShareIndex>)> {
        None
    }

    /// Proof that one share lies elsewhere than t + f others.
    fn evidence_of_outlier(&self, outlier: &Self::Share, _others: &[&Self::Share]) -> Self::Evidence {
        self.evidence(outlier, None)
    }
}

/// Collects the shares of one [`Instance`]. See the [module](self).
///
/// Memory: one share for each party.
#[derive(Debug)]
pub struct Combiner<I: Instance> {
    instance: I,
    held: BTreeMap<ShareIndex, Held<I::Share>>,
    blamed: BTreeSet<ShareIndex>,
    signature: Option<I::Signature>,
    /// How many wrong shares the last decoding could have borne, and how many outliers it left.
    tried: usize,
    outliers: usize,
    counts: Counts,
}

#[derive(Debug)]
struct Held<S> {
    share: S,
    standing: Standing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Not looked at.
    Fresh,
    /// Part of a combination that failed; it waits for its opening.
    Suspended,
    /// Checked by itself.
    Right,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Combinations, each with a verification: at most one more than failed, and f + 1 in all.
    pub combinations: usize,
    /// Checks of single shares: at most t + f.
    pub share_checks: usize,
    /// Decodings: at most 2f + 1.
    pub decodings: usize,
}

/// What follows from a share or an opening.
#[must_use = "faults are to be recorded and openings to be asked for"]
#[derive(Debug)]
pub struct Outcome<I: Instance> {
    /// The signature, once there is one.
    pub signature: Option<I::Signature>,
    /// Ask these members for the openings of their shares.
    pub wanted: Vec<MemberIndex>,
    /// Who sent wrong shares.
    pub faults: Vec<Fault<I::Evidence>>,
}

impl<I: Instance> Combiner<I> {
    /// A combiner without shares.
    pub fn new(instance: I) -> Self {
        Self {
            instance,
            held: BTreeMap::new(),
            blamed: BTreeSet::new(),
            signature: None,
            tried: 0,
            outliers: 0,
            counts: Counts::default(),
        }
    }

    /// Takes a share that came over a link that authenticates `from`. One cache serves all combiners of a committee.
    ///
    /// # Errors
    /// The share is not taken: [`Error::WrongContext`] for one of another message, tag, epoch or key, or of a member other
    /// than its sender; [`Error::UnknownSigner`]; [`Error::DuplicateSigner`] for a second one; [`Error::BadShare`] from a
    /// member that sent a wrong one. It is taken and [`Error::WrongContext`] for "openings of the deal" if t shares that
    /// were checked do not make a signature: the dealer made a mistake.
    pub fn add(
        &mut self,
        cache: &mut Cache<I::Scalar>,
        from: MemberIndex,
        share: I::Share,
    ) -> Result<Outcome<I>> {
        let index = self.instance.index(&share)?;
        if index.member() != from {
            return Err(Error::WrongContext { what: "sender of the share" });
        }
        if self.blamed.contains(&index) {
            return Err(Error::BadShare { members: [from].into() });
        }
        if self.held.contains_key(&index) {
            return Err(Error::DuplicateSigner { index: from.into() });
        }
        let mut outcome = self.outcome();
        // With a signature and nobody to name, nothing is left to do.
        if self.signature.is_none() || self.someone_waits() {
            self.held.insert(index, Held { share, standing: Standing::Fresh });
            self.advance(cache, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Takes the opening of a share, from whomever it came. It is ignored unless it was asked for.
    ///
    /// # Errors
    /// What is wrong with the opening; as [`add`](Combiner::add) for what follows from it.
    pub fn open(
        &mut self,
        cache: &mut Cache<I::Scalar>,
        of: MemberIndex,
        opening: &I::Opening,
    ) -> Result<Outcome<I>> {
        let index = ShareIndex::of_member(of)?;
        let mut outcome = self.outcome();
        if self.held.get(&index).is_some_and(|held| held.standing == Standing::Suspended) {
            self.examine(index, Some(opening), &mut outcome)?;
            self.advance(cache, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// What it collects shares for.
    pub fn instance(&self) -> &I {
        &self.instance
    }

    /// The signature, once there is one.
    pub fn signature(&self) -> Option<&I::Signature> {
        self.signature.as_ref()
    }

    /// What was done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn outcome(&self) -> Outcome<I> {
        Outcome { signature: self.signature.clone(), wanted: Vec::new(), faults: Vec::new() }
    }

    fn someone_waits(&self) -> bool {
        self.held.values().any(|held| held.standing == Standing::Suspended)
    }

    fn advance(&mut self, cache: &mut Cache<I::Scalar>, outcome: &mut Outcome<I>) -> Result<()> {
        while self.signature.is_none() {
            let Some(set) = self.usable() else { break };
            self.combine(cache, &set, outcome)?;
        }
        if self.instance.decodes() && self.someone_waits() {
            self.decode(outcome);
        }
        outcome.signature = self.signature.clone();
        Ok(())
    }

    /// t shares that are right or not looked at, if there are as many: right ones first.
    fn usable(&self) -> Option<IndexSet> {
        let with = |standing| {
            self.held.iter().filter(move |(_, held)| held.standing == standing).map(|(index, _)| *index)
        };
        let needed = usize::from(self.instance.threshold().needed());
        // Most shares come before there are enough.
        if self.held.len() < needed {
            return None;
        }
        let set = IndexSet::new(with(Standing::Right).chain(with(Standing::Fresh)).take(needed)).ok()?;
        (set.len() == needed).then_some(set)
    }

    fn combine(
        &mut self,
        cache: &mut Cache<I::Scalar>,
        set: &IndexSet,
        outcome: &mut Outcome<I>,
    ) -> Result<()> {
        let shares: Vec<&I::Share> =
            set.iter().filter_map(|index| self.held.get(&index)).map(|held| &held.share).collect();
        self.counts.combinations += 1;
        self.signature = self.instance.combine(&cache.at_zero(set), &shares);
        if self.signature.is_some() {
            return Ok(());
        }
        let fresh: Vec<ShareIndex> = set
            .iter()
            .filter(|index| self.held.get(index).is_some_and(|held| held.standing == Standing::Fresh))
            .collect();
        if fresh.is_empty() {
            return Err(Error::WrongContext { what: "openings of the deal" });
        }
        for index in fresh {
            self.examine(index, None, outcome)?;
        }
        Ok(())
    }

    /// Checks one share, if that can be done now.
    fn examine(
        &mut self,
        index: ShareIndex,
        opening: Option<&I::Opening>,
        outcome: &mut Outcome<I>,
    ) -> Result<()> {
        let most = usize::from(self.instance.threshold().needed()) + usize::from(self.instance.faulty());
        let Some(held) = self.held.get_mut(&index) else { return Ok(()) };
        // Before there is a signature the bound holds by itself, and with more than f faulty parties it must not.
        if self.signature.is_some() && self.counts.share_checks >= most {
            return Ok(());
        }
        match self.instance.check(&held.share, opening)? {
            None => {
                held.standing = Standing::Suspended;
                outcome.wanted.push(index.member());
            }
            Some(true) => {
                self.counts.share_checks += 1;
                held.standing = Standing::Right;
            }
            Some(false) => {
                self.counts.share_checks += 1;
                let evidence = self.instance.evidence(&held.share, opening);
                self.blame(index, evidence, outcome);
            }
        }
        Ok(())
    }

    fn blame(&mut self, index: ShareIndex, evidence: I::Evidence, outcome: &mut Outcome<I>) {
        self.held.remove(&index);
        self.blamed.insert(index);
        outcome.faults.push(Fault { culprit: index.member(), evidence });
    }

    /// Decodes if that can tell something new: without a signature if one wrong share more can be borne than the last
    /// time, with one if enough agree to name whoever does not.
    fn decode(&mut self, outcome: &mut Outcome<I>) {
        let needed = usize::from(self.instance.threshold().needed());
        let to_blame = needed + usize::from(self.instance.faulty());
        let borne = self.held.len().saturating_sub(needed) / 2;
        let worthwhile = match self.signature {
            None => borne > self.tried,
            Some(_) => self.held.len() >= to_blame + self.outliers.max(1),
        };
        if !worthwhile {
            return;
        }
        self.tried = borne;
        self.counts.decodings += 1;
        let shares: Vec<&I::Share> = self.held.values().map(|held| &held.share).collect();
        let Some((signature, outliers)) = self.instance.decode(&shares) else { return };
        self.signature = Some(signature);
        self.outliers = outliers.len();
        if self.held.len() - outliers.len() < to_blame {
            return;
        }
        let others: Vec<&I::Share> = self
            .held
            .iter()
            .filter(|(index, _)| !outliers.contains(index))
            .map(|(_, held)| &held.share)
            .take(to_blame)
            .collect();
        let proven: Vec<(ShareIndex, I::Evidence)> = outliers
            .into_iter()
            .filter_map(|index| Some((index, &self.held.get(&index)?.share)))
            .map(|(index, share)| (index, self.instance.evidence_of_outlier(share, &others)))
            .collect();
        for (index, evidence) in proven {
            self.blame(index, evidence, outcome);
        }
        // Whoever agrees with so many was shown to be right; nobody has to open anything any more.
        self.held.values_mut().for_each(|held| held.standing = Standing::Right);
    }
}
