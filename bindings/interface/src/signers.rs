//! Sets of members.

#[cfg(feature = "full")]
use std::sync::MutexGuard;

use quorate::Result;
#[cfg(feature = "full")]
use quorate::certificate;
use quorate::committee;

use crate::Locked;

class! {
    /// A set of members of a committee of `committee_len`. It can change. Iteration is in ascending order.
    object set struct SignerSet(Locked<committee::SignerSet>): Debug;
    shown |self, f| write!(f, "SignerSet({}, {:?})", self.committee_len(), self.members());
    /// Creates the set of these members, each listed once; the empty set by default.
    /// [`Error::UnknownSigner`](quorate::Error) for a member outside the committee.
    /// [`Error::DuplicateSigner`](quorate::Error) for a member that is listed twice.
    quick fn new(
        committee_len: u16,
        #[cfg_attr(binding, limit = 65_535)] members: Option<&[u16]>,
    ) -> Result<Self> {
        let members = members.unwrap_or_default().iter().copied();
        committee::SignerSet::from_members(committee_len, members).map(Self::from)
    }
    /// Returns the set of all members.
    quick fn full(committee_len: u16) -> Self { committee::SignerSet::full(committee_len).into() }
    /// Size of the committee.
    getter fn committee_len(&self) -> u16 { self.with(|set| set.committee_len()) }
    /// Number of members in the set.
    getter fn size(&self) -> usize { self.with(|set| set.len()) }
    /// Returns true if the member is in the set.
    quick fn contains(&self, index: u16) -> bool { self.with(|set| set.contains(index)) }
    /// Returns the members at this time, ascending.
    quick fn members(&self) -> Vec<u16> { self.with(|set| set.iter().collect()) }
    /// Changes the set: adds a member. Returns false if it is in the set already, or not in the committee.
    quick fn insert(&self, index: u16) -> bool { self.with(|set| set.insert(index)) }
    /// Returns all members that are not in the set.
    quick fn complement(&self) -> SignerSet { self.with(|set| set.complement()).into() }
    /// Returns the members of both sets, which must be of the same committee.
    quick fn intersection(&self, other: &SignerSet) -> SignerSet {
        self.now().intersection(&other.now()).into()
    }
    /// Returns the members of either set. Both must be of the same committee.
    quick fn union(&self, other: &SignerSet) -> SignerSet { self.now().union(&other.now()).into() }
    /// Returns true if the two sets have no member in common.
    quick fn is_disjoint(&self, other: &SignerSet) -> bool { self.now().is_disjoint(&other.now()) }
    /// About how many bytes it holds.
    size fn memory(&self) -> usize { usize::from(self.committee_len()) / 8 }
}

impl SignerSet {
    /// The set at this time. One lock at a time: both sets of a call may be the same, and another thread may lock them
    /// in the other order.
    pub(crate) fn now(&self) -> committee::SignerSet {
        self.with(|set| set.clone())
    }

    fn with<T>(&self, work: impl FnOnce(&mut committee::SignerSet) -> T) -> T {
        work(&mut self.0.lock())
    }
}

impl From<committee::SignerSet> for SignerSet {
    fn from(set: committee::SignerSet) -> Self {
        Self(Locked::new(set))
    }
}

impl PartialEq for SignerSet {
    fn eq(&self, other: &Self) -> bool {
        self.now() == other.now()
    }
}

#[cfg(feature = "full")]
class! {
    /// Members in whose name invalid signatures were received, shared by all collectors of one committee. Their votes
    /// are verified one by one, and only if the remaining votes do not reach the quorum, so that they cannot make every
    /// batch fail. Each new certificate reduces every suspicion a little; repeated offences prolong it. Iteration is in
    /// ascending order.
    object set struct Suspects(Locked<certificate::Suspects>): Debug, Default;
    shown |self, f| write!(f, "Suspects({:?})", self.members());
    /// Creates the set without suspects.
    quick fn new() -> Self { Self::default() }
    /// Number of suspects.
    getter fn size(&self) -> usize { self.lock().len() }
    /// Returns true if the member's votes are verified one by one.
    quick fn contains(&self, member: u16) -> bool { self.lock().contains(member) }
    /// Returns the suspects at this time, ascending.
    quick fn members(&self) -> Vec<u16> { self.lock().iter().collect() }
    /// Records an offence. Collectors call it themselves; call it for invalid votes found elsewhere.
    quick fn accuse(&self, member: u16) { self.lock().accuse(member); }
    /// Reduces the remaining suspicion of every member by one certificate. Collectors call it themselves when they form
    /// a certificate.
    quick fn decay(&self) { self.lock().decay(); }
}

#[cfg(feature = "full")]
impl Suspects {
    /// Locks the set, for collectors, which lock their own state first.
    pub(crate) fn lock(&self) -> MutexGuard<'_, certificate::Suspects> {
        self.0.lock()
    }
}
