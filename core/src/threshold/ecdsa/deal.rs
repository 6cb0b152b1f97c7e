use alloc::vec::Vec;

use super::curve::Curve;
use super::key::GroupKey;
use super::slot::KeyId;
use super::tag::Plan;
use crate::machine::MemberIndex;
use crate::merkle::{Hash, Merkle, Path};
use crate::threshold::index::MAX_PARTIES;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The Merkle tree of one party's openings, one leaf for each presignature of the epoch.
pub(super) const OPENINGS: Merkle<'static> = Merkle::new(domain::THRESHOLD_OPENING, domain::THRESHOLD_NODE);

/// The public part of the presignatures dealt for one epoch: 49 bytes plus 32 for each party. Its holder can verify
/// evidence. Compare [`id`](Deal::id)s: parties with different deals cannot sign together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deal {
    pub(super) key: KeyId,
    pub(super) epoch: u64,
    pub(super) plan: Plan,
    pub(super) roots: Vec<Hash>,
}

impl Deal {
    /// Returns the identifier of the deal.
    pub fn id(&self) -> [u8; 32] {
        domain::hash(domain::THRESHOLD_DEAL, &self.encode())
    }

    /// Returns the key's identifier.
    pub fn key(&self) -> KeyId {
        self.key
    }

    /// Returns the epoch.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the plan of the presignatures.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// Returns the roots of the parties' trees of openings.
    pub fn roots(&self) -> &[Hash] {
        &self.roots
    }

    /// Checks that this is a deal of the key.
    pub(super) fn require<G: Curve>(&self, key: &GroupKey<G>) -> Result<()> {
        let parties = key.tolerance().parties();
        if self.key != key.id() || self.roots.len() != usize::from(parties) {
            return Err(Error::WrongContext { what: "key of the deal" });
        }
        self.plan.check(parties)
    }

    /// Checks that an object of `epoch`, which `what` names, belongs to this deal.
    pub(super) fn require_epoch(&self, what: &'static str, epoch: u64) -> Result<()> {
        if epoch == self.epoch {
            Ok(())
        } else {
            Err(Error::Mismatch { what, expected: self.epoch, actual: epoch })
        }
    }
}

/// Encoding: key 32 ‖ epoch u64 ‖ plan 5 ‖ one root of 32 bytes for each party, with their count as u32.
impl Encode for Deal {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.key.0);
        w.u64(self.epoch);
        self.plan.encode_to(w);
        w.count(self.roots.len());
        self.roots.iter().for_each(|root| w.raw(root));
    }
}

impl Decode for Deal {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (key, epoch, plan) = (KeyId(r.array()?), r.u64()?, Plan::decode_from(r, &())?);
        let parties = r.count("parties of a deal", MAX_PARTIES.into())?;
        plan.check(parties as u16)?;
        let mut roots = Vec::with_capacity(parties.min(r.remaining() / 32));
        for _ in 0..parties {
            roots.push(r.array()?);
        }
        Ok(Self { key, epoch, plan, roots })
    }
}

/// Data for verifying a party's share: K̄ = k·R, X̄ = χ·R and Ē = e·R for its shares k, χ and e, and the Merkle path
/// from them to the party's root in the [`Deal`]. It reveals nothing about the shares that the discrete logarithm
/// does not hide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening<G: Curve> {
    pub(super) member: MemberIndex,
    pub(super) nonce: G::Nonce,
    /// K̄, X̄, Ē.
    pub(super) elements: [G::Element; 3],
    pub(super) path: Path,
}

impl<G: Curve> Opening<G> {
    /// Returns the member whose share it opens.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the index of the presignature.
    pub fn index(&self) -> u32 {
        self.path.index()
    }

    /// Returns the leaf: the hash of R ‖ K̄ ‖ X̄ ‖ Ē.
    pub(super) fn leaf(nonce: &G::Nonce, elements: &[u8]) -> Hash {
        OPENINGS.leaf(&[nonce.as_ref(), elements].concat())
    }

    /// Verifies that the opening is part of the deal. Cost: a hash for each level of the tree.
    pub(super) fn verify(&self, deal: &Deal) -> Result<()> {
        let unknown = Error::UnknownSigner { index: self.member.into() };
        let root = deal.roots.get(usize::from(self.member)).ok_or(unknown)?;
        let (expected, actual) = (deal.plan.count().into(), self.path.count().into());
        if actual != expected {
            return Err(Error::Mismatch { what: "number of presignatures of the opening", expected, actual });
        }
        OPENINGS.verify(root, &Self::leaf(&self.nonce, &G::encode_all(&self.elements)), &self.path)
    }

    /// Returns true if s·R = h·K̄ + r·X̄ + Ē. Cost: three multiplications in one pass, and a square root.
    pub(super) fn verify_share(&self, h: G::Scalar, r: G::Scalar, s: G::Scalar) -> Result<bool> {
        let nonce = G::decode_element(&mut Reader::new(self.nonce.as_ref()), "nonce of the opening")?;
        let [k, x, e] = self.elements;
        Ok(G::public_sum(&[(s, nonce), (-h, k), (-r, x)]) == e)
    }
}

/// Encoding: member u16 ‖ R ‖ K̄ ‖ X̄ ‖ Ē ‖ path.
impl<G: Curve> Encode for Opening<G> {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.member);
        w.raw(self.nonce.as_ref());
        w.raw(&G::encode_all(&self.elements));
        self.path.encode_to(w);
    }
}

/// Cost: three square roots.
impl<G: Curve> Decode for Opening<G> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let member = r.u16()?;
        let nonce = nonce::<G>(r)?;
        let mut element = || G::decode_element(r, "element of an opening");
        let elements = [element()?, element()?, element()?];
        Ok(Self { member, nonce, elements, path: Path::decode_from(r, &())? })
    }
}

/// Reads an encoded nonce. It is checked to be an element where it is used as one.
pub(super) fn nonce<G: Curve>(r: &mut Reader<'_>) -> Result<G::Nonce> {
    let bytes = r.raw(G::ELEMENT_LEN)?;
    G::Nonce::try_from(bytes).map_err(|_| Error::Malformed { what: "nonce of a presignature" })
}
