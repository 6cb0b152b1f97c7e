//! Combines shares to a signature: optimistically, and with blame.
//!
//! Most parties are honest, so shares are not verified on arrival (the paper's section II.A.2). The first t shares
//! are combined and the signature is verified. Only if that fails, each of the t shares is verified, wrong shares are
//! dropped and their parties blamed. The next combination follows as soon as t shares are available again. With a
//! failed combinations
//!
//! * at most **a + 1 combinations** are made, and a ≤ f, because each failure removes a wrong share;
//! * at most **t + f shares are verified**, because t right ones yield the signature.
//!
//! [`Counts`] reports the actual numbers.
//!
//! **How a share is verified** depends on the scheme. A BLS share is verified under the party's key. An ECDSA share
//! is verified against its party's opening, which is requested only at this point: [`Outcome::wanted`] names the
//! parties. A share without its opening is not used; t other shares can still yield the signature.
//!
//! **Decoding.** Where t = f + 1, shares of other members replace openings: from t + 2e shares, of which at most e
//! are wrong, the polynomial through the right ones can be recovered. The resulting signature is verified, so it is
//! right in any case. The blame is not: f parties that know the other shares can choose theirs on a polynomial of
//! their own with the same signature, which misses an honest party's share. So an outlier is blamed only when t +
//! f shares agree against it, of which t are honest and determine the polynomial.
//!
//! **A valid combination does not validate its shares.** Two wrong shares may cancel in a valid signature. A share
//! counts as right only after its own verification.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt::Debug;

use super::group::Field;
use super::index::{ShareIndex, Threshold};
use super::lagrange::{Cache, IndexSet};
use crate::machine::{Fault, MemberIndex};
use crate::{Error, Result};

/// A message signed by several parties, and how its shares yield a signature.
pub trait Instance {
    /// Scalar field of the shares' polynomials.
    type Scalar: Field;
    /// A party's signature share.
    type Share: Clone + Debug;
    /// Data for verifying a share, where the instance does not have it.
    type Opening;
    /// The signature from t right shares.
    type Signature: Clone + Debug;
    /// Evidence that a share was wrong.
    type Evidence: Debug;

    /// Returns the number of shares that a signature needs.
    fn threshold(&self) -> Threshold;

    /// Returns the maximum number of faulty parties.
    fn faulty(&self) -> u16;

    /// Returns the index of the share's party.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a share of another instance, [`Error::UnknownSigner`].
    fn index(&self, share: &Self::Share) -> Result<ShareIndex>;

    /// Interpolates at zero, and returns the signature if it verifies.
    fn combine(&self, coefficients: &[Self::Scalar], shares: &[&Self::Share]) -> Option<Self::Signature>;

    /// Verifies a share. Returns `None` if that needs an opening.
    ///
    /// # Errors
    /// The defect of the opening.
    fn check(&self, share: &Self::Share, opening: Option<&Self::Opening>) -> Result<Option<bool>>;

    /// Returns evidence against a share that is wrong.
    fn evidence(&self, share: &Self::Share, opening: Option<&Self::Opening>) -> Self::Evidence;

    /// Returns true if [`decode`](Instance::decode) is supported.
    fn can_decode(&self) -> bool {
        false
    }

    /// Decodes the shares: finds the polynomial through most of them. Returns the signature if it verifies, with the
    /// indices of the shares off the polynomial.
    fn decode(&self, _shares: &[&Self::Share]) -> Option<(Self::Signature, Vec<ShareIndex>)> {
        None
    }

    /// Returns evidence against a share that is off the polynomial of t + f others.
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
    held: BTreeMap<ShareIndex, HeldShare<I::Share>>,
    blamed: BTreeSet<ShareIndex>,
    signature: Option<I::Signature>,
    /// Number of wrong shares that the last decoding could tolerate, and number of outliers it found.
    tried: usize,
    outliers: usize,
    counts: Counts,
}

#[derive(Debug)]
struct HeldShare<S> {
    share: S,
    status: ShareStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShareStatus {
    /// Not verified.
    Fresh,
    /// Part of a failed combination; awaits its opening.
    Suspended,
    /// Verified by itself.
    Right,
}

/// Number of operations so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Combinations, each with a verification: at most one more than failed, and at most f + 1.
    pub combinations: usize,
    /// Verifications of single shares: at most t + f.
    pub share_checks: usize,
    /// Decodings: at most 2f + 1.
    pub decodings: usize,
}

/// Result of adding a share or an opening.
#[must_use = "record the faults and request the wanted openings"]
#[derive(Debug)]
pub struct Outcome<I: Instance> {
    /// The signature, once available.
    pub signature: Option<I::Signature>,
    /// Members whose openings are needed; request them.
    pub wanted: Vec<MemberIndex>,
    /// Members that sent wrong shares, with evidence.
    pub faults: Vec<Fault<I::Evidence>>,
}

impl<I: Instance> Combiner<I> {
    /// Creates a combiner without shares.
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

    /// Adds a share received over a link that authenticates `from`. One cache can serve all combiners of a committee.
    ///
    /// # Errors
    /// The share is refused with [`Error::WrongContext`] for another message, tag, epoch or key, or if its member is
    /// not the sender; [`Error::UnknownSigner`]; [`Error::DuplicateSigner`] for a second share; [`Error::BadShare`]
    /// from a member that sent a wrong share before. The share is added, and [`Error::WrongContext`] for "openings of
    /// the deal" returned, if t verified shares do not yield a signature: the dealer made a mistake.
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
        // With a signature and no suspended share, nothing is left to do.
        if self.signature.is_none() || self.any_suspended() {
            self.held.insert(index, HeldShare { share, status: ShareStatus::Fresh });
            self.advance(cache, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Adds the opening of a share, from any source. It is ignored unless it was requested.
    ///
    /// # Errors
    /// The defect of the opening; otherwise as [`add`](Combiner::add).
    pub fn open(
        &mut self,
        cache: &mut Cache<I::Scalar>,
        of: MemberIndex,
        opening: &I::Opening,
    ) -> Result<Outcome<I>> {
        let index = ShareIndex::from_member(of)?;
        let mut outcome = self.outcome();
        if self.held.get(&index).is_some_and(|held| held.status == ShareStatus::Suspended) {
            self.examine(index, Some(opening), &mut outcome)?;
            self.advance(cache, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// Returns the instance.
    pub fn instance(&self) -> &I {
        &self.instance
    }

    /// Returns the signature, once available.
    pub fn signature(&self) -> Option<&I::Signature> {
        self.signature.as_ref()
    }

    /// Returns the number of operations so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn outcome(&self) -> Outcome<I> {
        Outcome { signature: self.signature.clone(), wanted: Vec::new(), faults: Vec::new() }
    }

    fn any_suspended(&self) -> bool {
        self.held.values().any(|held| held.status == ShareStatus::Suspended)
    }

    fn advance(&mut self, cache: &mut Cache<I::Scalar>, outcome: &mut Outcome<I>) -> Result<()> {
        while self.signature.is_none() {
            let Some(set) = self.usable() else { break };
            self.combine(cache, &set, outcome)?;
        }
        if self.instance.can_decode() && self.any_suspended() {
            self.decode(outcome);
        }
        outcome.signature = self.signature.clone();
        Ok(())
    }

    /// Returns t shares that are right or not verified, right ones first, if there are as many.
    fn usable(&self) -> Option<IndexSet> {
        let with =
            |status| self.held.iter().filter(move |(_, held)| held.status == status).map(|(index, _)| *index);
        let needed = usize::from(self.instance.threshold().needed());
        // Shortcut for the common case: not enough shares yet.
        if self.held.len() < needed {
            return None;
        }
        let set =
            IndexSet::new(with(ShareStatus::Right).chain(with(ShareStatus::Fresh)).take(needed)).ok()?;
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
            .filter(|index| self.held.get(index).is_some_and(|held| held.status == ShareStatus::Fresh))
            .collect();
        if fresh.is_empty() {
            return Err(Error::WrongContext { what: "openings of the deal" });
        }
        for index in fresh {
            self.examine(index, None, outcome)?;
        }
        Ok(())
    }

    /// Verifies one share, if its opening is available or not needed.
    fn examine(
        &mut self,
        index: ShareIndex,
        opening: Option<&I::Opening>,
        outcome: &mut Outcome<I>,
    ) -> Result<()> {
        let most = usize::from(self.instance.threshold().needed()) + usize::from(self.instance.faulty());
        let Some(held) = self.held.get_mut(&index) else { return Ok(()) };
        // Before there is a signature the bound holds anyway; with more than f faulty parties it must not stop the
        // search.
        if self.signature.is_some() && self.counts.share_checks >= most {
            return Ok(());
        }
        match self.instance.check(&held.share, opening)? {
            None => {
                held.status = ShareStatus::Suspended;
                outcome.wanted.push(index.member());
            }
            Some(true) => {
                self.counts.share_checks += 1;
                held.status = ShareStatus::Right;
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

    /// Decodes if that can yield a new result: without a signature if one more wrong share can be tolerated than in
    /// the last decoding, with one if enough shares agree to blame an outlier.
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
        // Shares on the same polynomial as t + f others are right, so no more openings are needed.
        self.held.values_mut().for_each(|held| held.status = ShareStatus::Right);
    }
}
