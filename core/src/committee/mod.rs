//! Committees: members, their weights, and the weight that makes a quorum.
//!
//! A committee is created once per epoch from verified keys and then shared. It caches the data that verification needs
//! (for BLS the aggregate of all keys and every negated key), so that the key of a certificate with `a` absent signers
//! costs `min(a, n − a)` additions: Li et al., *Performance of EdDSA and BLS Signatures in Committee-Based Consensus*,
//! section 3. With the feature `group-sums`, `Committee::with_group_sums` trades memory for fewer additions.
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
//! let submitted = UnverifiedKey::<MinSig>::prove(&secret);      // a member sends this
//! let members = vec![(submitted.verify()?, 100)];               // each member verifies it
//! let committee = Committee::new(ChainId::from_name("example"), 0, members)?;
//! assert_eq!(committee.quorum_weight(), 67);
//! # Ok(()) } main().unwrap(); }
//! ```
//!
//! # Bring your own chain
//!
//! A committee also verifies what another chain's validators signed, with the same cached keys:
//! [`from_attested`](Committee::from_attested) takes keys that the chain registered,
//! [`with_ciphersuite`](Committee::with_ciphersuite) selects how they sign, [`signer_set`](Committee::signer_set) reads
//! the chain's bitmap, and [`verify_raw`](Committee::verify_raw) returns the weight of the signers. The caller builds
//! the signed bytes and compares the weight with the chain's threshold.
//!
//! | chain | scheme | ciphersuite | signers | verified by |
//! |---|---|---|---|---|
//! | Ethereum, sync committees | `MinPk`, repeated keys | proof of possession | bitmap, lowest bit first | `verify_raw` |
//! | Aptos | `MinPk` | proof of possession | bitmap, highest bit first | `verify_raw` |
//! | Sui | `MinSig` | basic | indices | `verify_raw` |
//! | CometBFT | `Ed25519` | – | one message per vote | [`verify_raw_each`](Committee::verify_raw_each) |
//! | drand | `MinSig`, `MinPk` | basic | one key for the group | [`Ciphersuite::verify`](crate::bls::Ciphersuite::verify) |
//!
//! ```
//! # #[cfg(all(feature = "bls", feature = "ed25519"))] {
//! use quorate::bls::{self, Ciphersuite, MinSig};
//! use quorate::committee::{ChainId, Committee, RawSigners, Repeats};
//! use quorate::ed25519::Ed25519;
//! use quorate::scheme::Scheme;
//!
//! # fn main() -> quorate::Result<()> {
//! # let secrets = (1..=4).map(|i| MinSig::secret_from_bytes(&[i; 32])).collect::<quorate::Result<Vec<_>>>()?;
//! # let keys: Vec<_> = secrets.iter().map(MinSig::public_key).collect();
//! # let sign = |i: usize, message: &[u8]| Ciphersuite::Basic.sign(&secrets[i], message);
//! // As in Sui: all validators sign the same bytes, under the basic scheme.
//! let members = keys.into_iter().map(|key| (key, 2_500)).collect();
//! let committee = Committee::<MinSig>::from_attested(ChainId::from_name("sui"), 5, members, Repeats::Refuse)?
//!     .with_ciphersuite(Ciphersuite::Basic);
//! let message = b"intent, summary of a checkpoint, epoch";
//! let aggregate = bls::aggregate(&[sign(0, message), sign(1, message), sign(3, message)])?;
//! let signers = committee.signer_set(RawSigners::Indices(&[0, 1, 3]))?;
//! assert!(committee.verify_raw(message, &signers, &aggregate)? >= 6_667);
//!
//! # let secrets = (1..=4).map(|i| Ed25519::secret_from_bytes(&[i; 32])).collect::<quorate::Result<Vec<_>>>()?;
//! # let keys: Vec<_> = secrets.iter().map(Ed25519::public_key).collect();
//! # let sign = |i: usize, message: &[u8]| Ed25519::sign(&secrets[i], message);
//! // As in CometBFT: the signed bytes of each vote contain its time.
//! let members = keys.into_iter().map(|key| (key, 10)).collect();
//! let committee = Committee::<Ed25519>::from_attested(ChainId::from_name("cosmos"), 9, members, Repeats::Refuse)?;
//! let votes: [(u16, &[u8]); 3] = [(0, b"block 7 at 10:00:01"), (1, b"block 7 at 10:00:03"), (3, b"block 7 at 10:00:02")];
//! let signatures = votes.map(|(i, message)| (i, sign(i.into(), message))).to_vec();
//! assert!(committee.verify_raw_each(&votes, &signatures)? * 3 > committee.total_weight() * 2);
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
use crate::scheme::{Keys, Scheme, VerifiedKey};
use crate::{Error, Result};

/// Maximum number of members of a committee: indices have 16 bits.
pub const MAX_MEMBERS: usize = 65_535;
/// Maximum sum of the weights, chosen so that three times the sum fits 128 bits.
pub const MAX_TOTAL_WEIGHT: u128 = 1 << 125;

/// The ordered members of one epoch of one chain, with their weights.
#[derive(Clone)]
pub struct Committee<S: Scheme> {
    chain: ChainId,
    epoch: u64,
    id: CommitteeId,
    keys: Vec<S::PublicKey>,
    weights: Vec<u128>,
    positions: BTreeMap<S::PublicKey, MemberIndex>,
    total: u128,
    /// The weight of each member, if all weights are equal.
    equal: Option<u128>,
    cache: S::Cache,
    /// The ciphersuite of messages of another chain.
    ciphersuite: S::Ciphersuite,
}

/// Policy of [`Committee::from_attested`] for repeated keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Refuse equal keys and keys that are negations of each other.
    Refuse,
    /// Accept repeated keys: Ethereum's sync committees draw members with replacement.
    ///
    /// Each index counts separately, so anyone who sees a vote under one index can repeat it under the other indices of
    /// the same key.
    Allow,
}

impl<S: Scheme> Committee<S> {
    /// Creates a committee from keys with verified proofs of possession, and their weights. Cost: one addition per member.
    ///
    /// # Errors
    /// [`Error::BadCommittee`] for no members or more than [`MAX_MEMBERS`], a weight of zero, or a sum of weights above
    /// [`MAX_TOTAL_WEIGHT`]; [`Error::RelatedKeys`] for equal or negated keys; [`Error::Infinity`] if the sum of all keys
    /// is the point at infinity.
    pub fn new(chain: ChainId, epoch: u64, members: Vec<(VerifiedKey<S>, u128)>) -> Result<Self> {
        let members = members.into_iter().map(|(key, weight)| (key.into_public(), weight)).collect();
        Self::from_attested(chain, epoch, members, Repeats::Refuse)
    }

    /// Creates a committee from keys whose proofs of possession **were verified elsewhere**, as a chain does when a
    /// validator registers.
    ///
    /// If one key has no proof of possession, its owner can sign alone for the whole committee. All other checks are
    /// those of [`new`](Committee::new). For messages of another chain continue with
    /// [`with_ciphersuite`](Committee::with_ciphersuite) and [`verify_raw`](Committee::verify_raw).
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
        // `0..` would count past the last index of the largest committee.
        for (index, key) in (0..=MemberIndex::MAX).zip(&keys) {
            positions.entry(key.clone()).or_insert(index);
        }
        let cache = S::cache(&keys)?;
        let equal = weights.first().copied().filter(|first| weights.iter().all(|weight| weight == first));
        let ciphersuite = S::Ciphersuite::default();
        Ok(Self { chain, epoch, id, keys, weights, positions, total, equal, cache, ciphersuite })
    }

    /// Precomputes the sums of all subsets of each group of eight keys, so that the key of any certificate costs at most
    /// ⌈n/8⌉ additions: for large committees of which many members are absent. A copy of the committee shares the sums.
    /// They have 6 KiB per member with keys in G2 ([`MinSig`](crate::bls::MinSig); 6 MiB for 1,000 members), 3 KiB with
    /// keys in G1 ([`MinPk`](crate::bls::MinPk)), and are empty for Ed25519, where nothing is summed. Cost: 32 additions
    /// per member, once.
    #[cfg(feature = "group-sums")]
    #[must_use]
    pub fn with_group_sums(mut self) -> Self {
        S::add_group_sums(&mut self.cache);
        self
    }

    /// Returns the size in bytes of the sums of groups; 0 without them.
    #[cfg(feature = "group-sums")]
    pub fn group_sums_size(&self) -> usize {
        S::group_sums_size(&self.cache)
    }

    /// Returns the identifier that every signed statement contains, which prevents replay in another context.
    pub fn id(&self) -> CommitteeId {
        self.id
    }

    /// Returns the chain of this committee.
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// Returns the epoch of this committee.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the number of members: 1 to [`MAX_MEMBERS`].
    pub fn len(&self) -> u16 {
        self.keys.len() as u16
    }

    /// Returns false: every committee has members.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the sum of all weights.
    pub fn total_weight(&self) -> u128 {
        self.total
    }

    /// Returns the weight of a member.
    pub fn weight(&self, index: MemberIndex) -> Option<u128> {
        self.weights.get(usize::from(index)).copied()
    }

    /// Returns the key of a member.
    pub fn key(&self, index: MemberIndex) -> Option<&S::PublicKey> {
        self.keys.get(usize::from(index))
    }

    /// Returns all keys in the order of the members.
    pub fn keys(&self) -> &[S::PublicKey] {
        &self.keys
    }

    /// Returns the index of the member with this key; the lowest index if the key is repeated.
    pub fn position(&self, key: &S::PublicKey) -> Option<MemberIndex> {
        self.positions.get(key).copied()
    }

    /// Returns the quorum: the smallest weight above two thirds of the total. Any two quorums share an honest member as
    /// long as less than a third of the weight is faulty.
    pub fn quorum_weight(&self) -> u128 {
        self.total * 2 / 3 + 1
    }

    /// Returns the smallest weight above one third of the total: a set of this weight has at least one honest member.
    pub fn honest_weight(&self) -> u128 {
        self.total / 3 + 1
    }

    /// Returns the weight of a set of members. Indices that the committee does not have weigh nothing.
    pub fn weight_of(&self, signers: &SignerSet) -> u128 {
        match self.equal {
            // A set of this committee's size has only members of the committee.
            Some(weight) if signers.committee_len() == self.len() => weight * signers.len() as u128,
            _ => signers.iter().filter_map(|index| self.weight(index)).sum(),
        }
    }

    /// Returns true if the set weighs at least [`quorum_weight`](Committee::quorum_weight).
    pub fn has_quorum(&self, signers: &SignerSet) -> bool {
        self.weight_of(signers) >= self.quorum_weight()
    }

    /// Checks that a set has a quorum.
    ///
    /// # Errors
    /// [`Error::BelowQuorum`] with the weight of the set and the quorum.
    pub fn require_quorum(&self, signers: &SignerSet) -> Result<()> {
        match self.weight_of(signers) {
            signed if signed >= self.quorum_weight() => Ok(()),
            signed => Err(Error::BelowQuorum { signed, needed: self.quorum_weight() }),
        }
    }

    /// Checks that a set belongs to a committee of this size.
    pub(crate) fn require_size(&self, signers: &SignerSet) -> Result<()> {
        match signers.committee_len() {
            n if n == self.len() => Ok(()),
            n => {
                Err(Error::Mismatch { what: "committee size", expected: self.len().into(), actual: n.into() })
            }
        }
    }

    /// Checks that an object of `epoch` belongs to this committee.
    pub(crate) fn require_epoch(&self, epoch: u64) -> Result<()> {
        if epoch == self.epoch {
            Ok(())
        } else {
            Err(Error::Mismatch { what: "epoch", expected: self.epoch, actual: epoch })
        }
    }

    /// Returns the index of the member with this signing key.
    pub(crate) fn require_member(&self, key: &S::PublicKey) -> Result<MemberIndex> {
        self.position(key).ok_or(Error::WrongContext { what: "signing key" })
    }

    /// Returns the keys with their cache, for statements.
    pub(crate) fn scheme_keys(&self) -> Keys<'_, S> {
        Keys::new(&self.keys, &self.cache)
    }
}

impl<S: Scheme> fmt::Debug for Committee<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Committee({} members of {}, epoch {}, {})", self.keys.len(), S::NAME, self.epoch, self.id)
    }
}

fn check_weights(weights: impl ExactSizeIterator<Item = u128>) -> Result<u128> {
    if weights.len() == 0 {
        return Err(Error::BadCommittee { rule: "no members; expected 1 to 65,535" });
    }
    if weights.len() > MAX_MEMBERS {
        return Err(Error::BadCommittee { rule: "more than 65,535 members" });
    }
    let mut total = 0u128;
    for weight in weights {
        if weight == 0 {
            return Err(Error::BadCommittee { rule: "a weight is zero; remove that member" });
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
