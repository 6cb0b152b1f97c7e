//! Who may sign, with which weight, and how much is enough.
//!
//! A committee is made once per epoch from checked keys and then shared. It caches what verification needs (for
//! BLS the aggregate of all keys and every negated key), so that the key of a certificate with `a` absent signers
//! costs `min(a, n − a)` additions: Li et al., *Performance of EdDSA and BLS Signatures in Committee-Based
//! Consensus*, section 3.
//!
//! ```
//! # #[cfg(feature = "bls")] {
//! use quorate::bls::MinSig;
//! use quorate::committee::{ChainId, Committee};
//! use quorate::scheme::{Scheme, UnverifiedKey};
//!
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! let secret = MinSig::generate(&mut rng)?;
//! let handed_in = UnverifiedKey::<MinSig>::prove(&secret);      // a member sends this
//! let members = vec![(handed_in.verify()?, 100)];                // everybody checks it
//! let committee = Committee::new(ChainId::from_name("example"), 0, members)?;
//! assert_eq!(committee.quorum_weight(), 67);
//! # Ok(()) } main().unwrap(); }
//! ```

mod identity;
mod raw;
mod verified;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

pub use crate::scheme::SignerSet;
pub use identity::{ChainId, CommitteeId};
pub use raw::RawSigners;
pub use verified::Verified;

use crate::machine::MemberIndex;
use crate::scheme::{Claim, Keys, Scheme, VerifiedKey};
use crate::{Error, Result};

/// The most members a committee can have: indices are 16 bits.
pub const MAX_MEMBERS: usize = 65_535;
/// The largest sum of weights, so that three times a sum still fits 128 bits with room to spare.
pub const MAX_TOTAL_WEIGHT: u128 = 1 << 125;

/// The members of one epoch of one chain, in their order.
#[derive(Clone)]
pub struct Committee<S: Scheme> {
    chain: ChainId,
    epoch: u64,
    id: CommitteeId,
    keys: Vec<S::PublicKey>,
    weights: Vec<u128>,
    positions: BTreeMap<S::PublicKey, MemberIndex>,
    total: u128,
    /// The weight of each member, where all have the same.
    equal: Option<u128>,
    cache: S::Cache,
}

/// Whether [`Committee::from_attested`] takes the same key more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Refuse equal keys and keys that are each other's negation.
    Refuse,
    /// Take them: Ethereum's sync committees draw members with replacement. Each index counts by itself, so whoever
    /// sees a vote under one index can repeat it under the others of the same key.
    Allow,
}

impl<S: Scheme> Committee<S> {
    /// A committee of members whose possession was checked, with their weights. Cost: one addition per member.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] for none or more than [`MAX_MEMBERS`] members, a weight of zero or a sum above
    /// [`MAX_TOTAL_WEIGHT`]; [`Error::RelatedKeys`] for equal or negated keys; [`Error::Infinity`] if all keys
    /// cancel.
    pub fn new(chain: ChainId, epoch: u64, members: Vec<(VerifiedKey<S>, u128)>) -> Result<Self> {
        let members = members.into_iter().map(|(key, weight)| (key.into_public(), weight)).collect();
        Self::from_attested(chain, epoch, members, Repeats::Refuse)
    }

    /// A committee whose possession proofs **somebody else checked**, as a chain does when a validator registers:
    /// with a single unproven key in it, its owner can sign alone for everybody. Nothing else is left unchecked.
    ///
    /// # Errors
    /// As [`new`](Committee::new).
    pub fn from_attested(
        chain: ChainId,
        epoch: u64,
        members: Vec<(S::PublicKey, u128)>,
        repeats: Repeats,
    ) -> Result<Self> {
        let total = check_weights(members.iter().map(|(_, weight)| *weight))?;
        if repeats == Repeats::Refuse {
            refuse_related::<S>(&members)?;
        }
        let id = CommitteeId::derive::<S>(chain, epoch, &members);
        let (keys, weights): (Vec<_>, Vec<_>) = members.into_iter().unzip();
        let mut positions = BTreeMap::new();
        // Not `0..`, which would count past the last index of the largest committee.
        for (index, key) in (0..=MemberIndex::MAX).zip(&keys) {
            positions.entry(key.clone()).or_insert(index);
        }
        let cache = S::cache(&keys)?;
        let equal = weights.first().copied().filter(|first| weights.iter().all(|weight| weight == first));
        Ok(Self { chain, epoch, id, keys, weights, positions, total, equal, cache })
    }

    /// What every signed statement names, so that it cannot be replayed elsewhere.
    pub fn id(&self) -> CommitteeId {
        self.id
    }

    /// The chain that this committee belongs to.
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// The epoch that this committee decides.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many members there are: 1 to [`MAX_MEMBERS`].
    pub fn len(&self) -> u16 {
        self.keys.len() as u16
    }

    /// Never true; there is no committee without members.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> u128 {
        self.total
    }

    /// A member's weight.
    pub fn weight(&self, index: MemberIndex) -> Option<u128> {
        self.weights.get(usize::from(index)).copied()
    }

    /// A member's key.
    pub fn key(&self, index: MemberIndex) -> Option<&S::PublicKey> {
        self.keys.get(usize::from(index))
    }

    /// All keys in the members' order.
    pub fn keys(&self) -> &[S::PublicKey] {
        &self.keys
    }

    /// Whose key this is; the first of them where a key is repeated.
    pub fn position(&self, key: &S::PublicKey) -> Option<MemberIndex> {
        self.positions.get(key).copied()
    }

    /// The smallest weight above two thirds of the total: any two such sets share an honest member as long as
    /// less than a third is faulty.
    pub fn quorum_weight(&self) -> u128 {
        self.total * 2 / 3 + 1
    }

    /// The smallest weight above one third of the total: at least one of them is honest.
    pub fn honest_weight(&self) -> u128 {
        self.total / 3 + 1
    }

    /// The weight of a set; members that the committee does not have weigh nothing.
    pub fn weight_of(&self, signers: &SignerSet) -> u128 {
        match self.equal {
            // The set's members are all the committee's: no need to look at each.
            Some(weight) if signers.committee_len() == self.len() => weight * signers.len() as u128,
            _ => signers.iter().filter_map(|index| self.weight(index)).sum(),
        }
    }

    /// Whether a set weighs at least [`quorum_weight`](Committee::quorum_weight).
    pub fn has_quorum(&self, signers: &SignerSet) -> bool {
        self.weight_of(signers) >= self.quorum_weight()
    }

    /// Fails with what is missing unless a set has a quorum.
    ///
    /// # Errors
    /// [`Error::BelowQuorum`].
    pub fn require_quorum(&self, signers: &SignerSet) -> Result<()> {
        match self.weight_of(signers) {
            signed if signed >= self.quorum_weight() => Ok(()),
            signed => Err(Error::BelowQuorum { signed, needed: self.quorum_weight() }),
        }
    }

    /// Checks that `signers` signed `message` as it is, for chains that frame and sign in their own way, and
    /// returns the signers' weight: **compare it with your threshold**. Cost as
    /// [`Scheme::verify_claims`] with one claim.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a set of another committee size, [`Error::BelowQuorum`] for nobody, and what is
    /// wrong with the signature.
    pub fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &S::Proof) -> Result<u128> {
        if signers.committee_len() != self.len() {
            return Err(Error::WrongContext { what: "committee size" });
        }
        if signers.is_empty() {
            return Err(Error::BelowQuorum { signed: 0, needed: 1 });
        }
        S::verify_claims(self.scheme_keys(), &[Claim { message, signers }], proof)?;
        Ok(self.weight_of(signers))
    }

    /// The keys with their cache.
    pub(crate) fn scheme_keys(&self) -> Keys<'_, S> {
        Keys { public: &self.keys, cache: &self.cache }
    }
}

impl<S: Scheme> fmt::Debug for Committee<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Committee({} members of {}, epoch {}, {})", self.keys.len(), S::NAME, self.epoch, self.id)
    }
}

fn check_weights(weights: impl ExactSizeIterator<Item = u128>) -> Result<u128> {
    if weights.len() == 0 {
        return Err(Error::BadCommittee { rule: "it has no members" });
    }
    if weights.len() > MAX_MEMBERS {
        return Err(Error::BadCommittee { rule: "it has more than 65,535 members" });
    }
    let mut total = 0u128;
    for weight in weights {
        if weight == 0 {
            return Err(Error::BadCommittee { rule: "a weight is zero; leave that member out" });
        }
        total = match total.checked_add(weight) {
            Some(sum) if sum <= MAX_TOTAL_WEIGHT => sum,
            _ => {
                return Err(Error::BadCommittee {
                    rule: "the weights sum to more than 2^125; scale them down",
                });
            }
        };
    }
    Ok(total)
}

fn refuse_related<S: Scheme>(members: &[(S::PublicKey, u128)]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for (second, (key, _)) in (0u32..).zip(members) {
        if let Some(first) = seen.insert(S::relation_tag(key), second) {
            return Err(Error::RelatedKeys { first, second });
        }
    }
    Ok(())
}
