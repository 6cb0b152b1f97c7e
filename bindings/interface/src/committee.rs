//! Committees: the members that may sign, and their weights.

use core::hash::{Hash, Hasher};

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::Kind;
use quorate::committee::{self, RawSigners, Repeats};
#[cfg(feature = "full")]
use quorate::scheme::Claim;

#[cfg(feature = "full")]
use crate::ciphersuite::Ciphersuite;
use crate::exactly;
use crate::ids::{ChainId, CommitteeId};
use crate::keys::PublicKey;
#[cfg(feature = "full")]
use crate::keys::VerifiedKey;
use crate::signers::SignerSet;
use crate::statement::Statement;

/// Bytes of a member's key, weight and place in the index of a committee.
const MEMBER: usize = 512;

class! {
    /// The members of one epoch of one chain, in order, with their weights. Create it once per epoch and share it: it
    /// is immutable and caches data for verification. Two committees are equal if their ids are.
    object struct Committee(pub any::Committee): Clone, Debug;
    shown |self, f| {
        let (members, epoch, suite, id) = (self.size(), self.epoch(), self.suite(), self.id());
        write!(f, "Committee(members={members}, epoch={epoch}, suite={suite}, id={id})")
    };
    module const MAX_MEMBERS: u32 = 65_535 == committee::MAX_MEMBERS,
        "Maximum number of members of a committee.";
    module const MAX_TOTAL_WEIGHT: u128 = 42_535_295_865_117_307_932_921_825_928_971_026_432
        == committee::MAX_TOTAL_WEIGHT, "Maximum total weight of a committee: 2¹²⁵.";
    /// Creates a committee of members whose proofs of possession were verified, each with its weight. Cost: one
    /// addition per member.
    /// [`Error::BadCommittee`](quorate::Error) for no members or too many, a weight of zero, or too much weight.
    /// [`Error::RelatedKeys`](quorate::Error) for keys that are equal, or of which one is the negative of another.
    /// [`Error::Infinity`](quorate::Error) for keys whose sum is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for members of two suites.
    #[cfg(feature = "full")]
    fn new(
        chain: &ChainId,
        epoch: u64,
        #[cfg_attr(binding, limit = 65_535)] members: &[(&VerifiedKey, u128)],
    ) -> Result<Self> {
        let members = members.iter().map(|(key, weight)| (key.0.clone(), *weight)).collect();
        any::Committee::new(chain.0, epoch, members).map(Self)
    }
    /// Creates a committee whose proofs of possession **were verified elsewhere**, as a chain does when a validator
    /// registers. The owner of a single unproven key can forge signatures in the name of all members. With
    /// `allow_repeats`, repeated keys are accepted, as in Ethereum's sync committees; by default they are not.
    /// [`Error::BadCommittee`](quorate::Error) for no members or too many, a weight of zero, or too much weight.
    /// [`Error::RelatedKeys`](quorate::Error) for keys of which one is the negative of another, and for keys that are
    /// equal, unless they may be.
    /// [`Error::Infinity`](quorate::Error) for keys whose sum is the neutral element.
    /// [`Error::WrongContext`](quorate::Error) for members of two suites.
    fn from_attested(
        chain: &ChainId,
        epoch: u64,
        #[cfg_attr(binding, limit = 65_535)] members: &[(&PublicKey, u128)],
        #[cfg_attr(binding, option)] allow_repeats: Option<bool>,
    ) -> Result<Self> {
        let members = members.iter().map(|(key, weight)| (key.0.clone(), *weight)).collect();
        let repeats = if allow_repeats.unwrap_or(false) { Repeats::Allow } else { Repeats::Refuse };
        any::Committee::from_attested(chain.0, epoch, members, repeats).map(Self)
    }
    /// Identifier that every signed statement contains, which prevents replay in another context.
    getter fn id(&self) -> CommitteeId { CommitteeId(self.0.id()) }
    /// The chain of this committee.
    getter fn chain(&self) -> ChainId { ChainId(self.0.chain()) }
    /// The epoch of this committee.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// The members' signature scheme.
    getter fn suite(&self) -> Suite { self.0.suite() }
    /// Number of members.
    getter fn size(&self) -> usize { self.0.len().into() }
    /// The sum of all weights.
    getter fn total_weight(&self) -> u128 { self.0.total_weight() }
    /// The smallest weight above two thirds of the total.
    getter fn quorum_weight(&self) -> u128 { self.0.quorum_weight() }
    /// The smallest weight above one third of the total: signers of this weight include at least one honest member.
    getter fn honest_weight(&self) -> u128 { self.0.honest_weight() }
    /// Returns a member's weight; nothing if there is no such member.
    quick fn weight(&self, index: u16) -> Option<u128> { self.0.weight(index) }
    /// Returns a member's key; nothing if there is no such member.
    quick fn key(&self, index: u16) -> Option<PublicKey> { self.0.key(index).map(PublicKey) }
    /// All keys, in the order of the members.
    getter computed fn keys(&self) -> Vec<PublicKey> { self.0.keys().into_iter().map(PublicKey).collect() }
    /// Returns the index of the member with this key: the first one if the key is repeated, nothing if no member has
    /// it.
    fn position(&self, key: &PublicKey) -> Option<u16> { self.0.position(&key.0) }
    /// Returns the weight of a set; indices outside the committee weigh nothing.
    fn weight_of(&self, signers: &SignerSet) -> u128 { self.0.weight_of(&signers.now()) }
    /// Returns true if the set weighs at least [`Committee::quorum_weight`].
    fn has_quorum(&self, signers: &SignerSet) -> bool { self.0.has_quorum(&signers.now()) }
    /// Checks that the set has a quorum.
    /// [`Error::BelowQuorum`](quorate::Error), with the missing weight, unless it has one.
    fn require_quorum(&self, signers: &SignerSet) -> Result<()> { self.0.require_quorum(&signers.now()) }
    /// Returns the set of the members with these indices, in any order and without duplicates.
    /// [`Error::UnknownSigner`](quorate::Error) for an index outside the committee.
    /// [`Error::DuplicateSigner`](quorate::Error) for an index that is listed twice.
    fn signer_set(&self, #[cfg_attr(binding, limit = 65_535)] indices: &[u32]) -> Result<SignerSet> {
        self.0.signer_set(RawSigners::Indices(indices)).map(SignerSet::from)
    }
    /// Reads a set from a bitmap of exactly ⌈n/8⌉ bytes, with member 0 in the lowest bit of the first byte.
    /// [`Error::Malformed`](quorate::Error) for a bitmap of another length.
    /// [`Error::NonCanonical`](quorate::Error) for one whose padding is not zero.
    fn signer_set_lsb_first(&self, bitmap: &[u8]) -> Result<SignerSet> {
        self.0.signer_set(RawSigners::LsbFirst(bitmap)).map(SignerSet::from)
    }
    /// Reads a set from a bitmap of exactly ⌈n/8⌉ bytes, with member 0 in the highest bit of the first byte.
    /// [`Error::Malformed`](quorate::Error) for a bitmap of another length.
    /// [`Error::NonCanonical`](quorate::Error) for one whose padding is not zero.
    fn signer_set_msb_first(&self, bitmap: &[u8]) -> Result<SignerSet> {
        self.0.signer_set(RawSigners::MsbFirst(bitmap)).map(SignerSet::from)
    }
    /// Verifies that `signers` signed exactly the bytes of `message`, for chains with their own framing, and returns
    /// their weight: **compare it with your threshold**. `proof` is the encoded aggregate (BLS), or the signatures in
    /// ascending order of the signers (Ed25519).
    ///
    /// Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one addition for each absent member (or
    /// each present member, if those are fewer); under message augmentation, one hash to the curve and one pairing for
    /// each signer. Cost (Ed25519): one multiscalar multiplication of two points per signer; for a bad proof also one
    /// verification per signer.
    /// [`Error::BelowQuorum`](quorate::Error) for an empty set.
    /// [`Error::WrongContext`](quorate::Error) for a set of another committee size.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid; it names the members for Ed25519.
    /// [`Error::Malformed`](quorate::Error) if the proof is not an encoding.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify_raw(&self, message: &[u8], signers: &SignerSet, proof: &[u8]) -> Result<u128> {
        self.0.verify_raw(message, &signers.now(), proof)
    }
    /// Creates a statement in this committee's epoch; the digest has 32 bytes.
    /// [`Error::Malformed`](quorate::Error) for a digest of another length.
    quick fn statement(&self, kind: u8, view: u64, digest: &[u8]) -> Result<Statement> {
        Ok(Statement(self.0.statement(Kind::new(kind), view, exactly(digest, "digest")?)))
    }
    /// About how many bytes it holds.
    size fn memory(&self) -> usize {
        let members = self.size().saturating_mul(MEMBER);
        #[cfg(feature = "full")]
        let members = members.saturating_add(self.0.group_sums_size());
        members
    }
}

#[cfg(feature = "full")]
functions! {
    Committee:
    /// Returns a committee of the same members, which sign the messages of another chain under this ciphersuite: it
    /// selects the signatures that [`Committee::verify_raw`], [`Committee::verify_raw_each`] and
    /// [`Committee::verify_raw_batch`] accept. Statements are not affected, and the ids are equal: votes and
    /// certificates verify under both committees. This committee does not change. Cost: a copy of the keys and of the
    /// cached data.
    /// [`Error::WrongContext`](quorate::Error) for another ciphersuite than the default, unless the suite is
    /// `bls-min-sig` or `bls-min-pk`.
    fn with_ciphersuite(&self, ciphersuite: &Ciphersuite) -> Result<Committee> {
        self.0.clone().with_ciphersuite(ciphersuite.0.clone()).map(Self)
    }
    /// Returns a committee of the same members with precomputed sums of all subsets of each group of eight keys, so
    /// that the key of any certificate costs at most a point addition per group: for large committees of which many
    /// members are absent. The sums take 6 KiB per member with `bls-min-sig`, 3 KiB with `bls-min-pk`, and nothing with
    /// `ed25519`, where no keys are summed. This committee does not change. Cost: a copy of the keys, and 32 additions
    /// per member.
    fn with_group_sums(&self) -> Committee { Self(self.0.clone().with_group_sums()) }
    /// Verifies that each member signed its own message, as in a commit of CometBFT, where the signed bytes of a vote
    /// contain its time, and returns the members' weight: **compare it with your threshold**. `signed` are pairs of a
    /// member and its message, in ascending order of the members; `proof` is that of [`Committee::verify_raw`]. Cost
    /// (BLS): one hash to the curve and one pairing for each member, one more pairing, one subgroup check.
    /// [`Error::UnknownSigner`](quorate::Error) for a member outside the committee.
    /// [`Error::DuplicateSigner`](quorate::Error) for a repeated member, and for members that are not ascending.
    /// [`Error::BelowQuorum`](quorate::Error) without members.
    /// [`Error::BadSignature`](quorate::Error) if the proof is not valid; it names the members for Ed25519.
    /// [`Error::Malformed`](quorate::Error) if the proof is not an encoding.
    /// [`Error::NotInSubgroup`](quorate::Error) for a signature outside the subgroup.
    slow fn verify_raw_each(
        &self,
        #[cfg_attr(binding, limit = 65_535)] signed: &[(u16, &[u8])],
        proof: &[u8],
    ) -> Result<u128> {
        self.0.verify_raw_each(signed, proof)
    }
    /// Verifies several messages by a random linear combination and returns a verdict for each, in input order: the
    /// signers' weight, or the error of [`Committee::verify_raw`]. **Compare each weight with your threshold.** `items`
    /// are triples of message, signers and proof. Items with the same signers share a pairing; if the combination
    /// fails, bisection finds every bad item. Cost (BLS): per item a hash to the curve, a subgroup check and two short
    /// multiplications; one pairing per distinct signer set, and one more.
    slow fn verify_raw_batch(&self, items: &[(&[u8], &SignerSet, &[u8])]) -> Vec<Result<u128>> {
        let sets: Vec<committee::SignerSet> = items.iter().map(|(_, signers, _)| signers.now()).collect();
        let claim = |(item, signers)| {
            let (message, _, proof): &(&[u8], &SignerSet, &[u8]) = item;
            (Claim { message, signers }, *proof)
        };
        let claims: Vec<(Claim<'_>, &[u8])> = items.iter().zip(&sets).map(claim).collect();
        self.0.verify_raw_batch(&claims, &mut getrandom::SysRng)
    }
}

impl PartialEq for Committee {
    fn eq(&self, other: &Self) -> bool {
        self.0.id() == other.0.id()
    }
}

impl Eq for Committee {}

impl Hash for Committee {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id().hash(state);
    }
}
