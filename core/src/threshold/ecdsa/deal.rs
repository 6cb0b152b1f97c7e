use alloc::vec::Vec;

use super::curve::Curve;
use super::key::{GroupKey, KeyId};
use super::tag::Plan;
use crate::machine::MemberIndex;
use crate::merkle::{Hash, Merkle, Path};
use crate::threshold::MAX_PARTIES;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// The tree of one party's openings, one leaf for each presignature of the epoch.
pub(super) const OPENINGS: Merkle<'static> = Merkle::new(domain::THRESHOLD_OPENING, domain::THRESHOLD_NODE);

/// What was dealt for one epoch, as far as everybody may know it: 49 bytes and 32 for each party. Whoever holds it can
/// judge evidence. Compare [`id`](Deal::id)s: parties who hold different deals cannot sign together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deal {
    pub(super) key: KeyId,
    pub(super) epoch: u64,
    pub(super) plan: Plan,
    pub(super) roots: Vec<Hash>,
}

impl Deal {
    /// Its name.
    pub fn id(&self) -> [u8; 32] {
        domain::hash(domain::THRESHOLD_DEAL, &self.encode())
    }

    /// The key.
    pub fn key(&self) -> KeyId {
        self.key
    }

    /// The epoch.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What the presignatures are for.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The roots of the parties' trees of openings.
    pub fn roots(&self) -> &[Hash] {
        &self.roots
    }

    /// Fails unless this is a deal of that key.
    pub(super) fn require<G: Curve>(&self, key: &GroupKey<G>) -> Result<()> {
        let parties = key.tolerance().parties();
        if self.key != key.id() || self.roots.len() != usize::from(parties) {
            return Err(Error::WrongContext { what: "key of the deal" });
        }
        self.plan.check(parties)
    }
}

/// key 32 ‖ epoch u64 ‖ plan 5 ‖ one root of 32 bytes for each party, with their count as u32.
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

/// What lets others check a party's share: K̄ = k·R, X̄ = χ·R and Ē = e·R for its shares k, χ and e, and the way from
/// them to the party's root in the [`Deal`]. It says nothing about the shares that the discrete logarithm does not hide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening<G: Curve> {
    pub(super) member: MemberIndex,
    pub(super) nonce: G::Nonce,
    /// K̄, X̄, Ē.
    pub(super) elements: [G::Element; 3],
    pub(super) path: Path,
}

impl<G: Curve> Opening<G> {
    /// Whose it is.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Which presignature it opens.
    pub fn index(&self) -> u32 {
        self.path.index()
    }

    /// The leaf: R ‖ K̄ ‖ X̄ ‖ Ē.
    pub(super) fn leaf(nonce: &G::Nonce, elements: &[u8]) -> Hash {
        OPENINGS.leaf(&[nonce.as_ref(), elements].concat())
    }

    /// Checks that this is what was dealt to the member. Cost: a hash for each level of the tree.
    pub(super) fn verify(&self, deal: &Deal) -> Result<()> {
        let unknown = Error::UnknownSigner { index: self.member.into() };
        let root = deal.roots.get(usize::from(self.member)).ok_or(unknown)?;
        if self.path.count() != deal.plan.count() {
            return Err(Error::WrongContext { what: "number of presignatures of the opening" });
        }
        OPENINGS.verify(root, &Self::leaf(&self.nonce, &G::encode_all(&self.elements)), &self.path)
    }

    /// Whether s·R = h·K̄ + r·X̄ + Ē. Cost: three multiplications in one pass, and a square root.
    pub(super) fn fits(&self, h: G::Scalar, r: G::Scalar, s: G::Scalar) -> Result<bool> {
        let nonce = G::decode_element(&mut Reader::new(self.nonce.as_ref()), "nonce of the opening")?;
        let [k, x, e] = self.elements;
        Ok(G::public_sum(&[(s, nonce), (-h, k), (-r, x)]) == e)
    }
}

/// member u16 ‖ R ‖ K̄ ‖ X̄ ‖ Ē ‖ the path.
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

/// Reads an encoded nonce. That it is an element is found where it is used as one.
pub(super) fn nonce<G: Curve>(r: &mut Reader<'_>) -> Result<G::Nonce> {
    let bytes = r.raw(G::ELEMENT_LEN)?;
    G::Nonce::try_from(bytes).map_err(|_| Error::Malformed { what: "nonce of a presignature" })
}
