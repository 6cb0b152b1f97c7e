use alloc::collections::BTreeMap;

use crate::machine::MemberIndex;

/// Members in whose name bad signatures arrived, shared by all collectors of one committee.
///
/// The votes of suspects are verified one by one, and only when the votes of the other members do not reach the quorum,
/// so that suspects cannot make every batch fail.
///
/// An offence is a penalty of 16 certificates; each further offence during that time doubles the rest of the penalty
/// and adds 16, up to 1,024. Each new certificate reduces every penalty by one. A member that was at fault once, or in
/// whose name another process sent a bad vote, is therefore soon cleared.
#[derive(Clone, Debug, Default)]
pub struct Suspects {
    /// Remaining penalty of each suspect, in certificates.
    penalties: BTreeMap<MemberIndex, u16>,
}

const PENALTY: u16 = 16;
const MAX_PENALTY: u16 = 1024;

impl Suspects {
    /// Creates an empty set of suspects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true if the member's votes are verified one by one.
    pub fn contains(&self, member: MemberIndex) -> bool {
        self.penalties.contains_key(&member)
    }

    /// Iterates over the suspects in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = MemberIndex> + '_ {
        self.penalties.keys().copied()
    }

    /// Returns the number of suspects.
    pub fn len(&self) -> usize {
        self.penalties.len()
    }

    /// Returns true if there are no suspects.
    pub fn is_empty(&self) -> bool {
        self.penalties.is_empty()
    }

    /// Records an offence. Collectors call this themselves; call it for bad votes found elsewhere.
    pub fn accuse(&mut self, member: MemberIndex) {
        let penalty = self.penalties.entry(member).or_insert(0);
        *penalty = (*penalty * 2 + PENALTY).min(MAX_PENALTY);
    }

    /// Reduces every penalty by one certificate. Collectors call this when they form a certificate.
    pub fn decay(&mut self) {
        self.penalties.retain(|_, penalty| {
            *penalty -= 1;
            *penalty > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_grow_with_repetition_and_always_end() {
        let mut suspects = Suspects::new();
        let penalty = |suspects: &mut Suspects| {
            (1..).find(|_| {
                suspects.decay();
                suspects.is_empty()
            })
        };
        suspects.accuse(3);
        assert_eq!(penalty(&mut suspects), Some(16));
        suspects.accuse(3);
        suspects.accuse(3);
        assert!(suspects.contains(3) && !suspects.contains(4));
        assert_eq!(penalty(&mut suspects), Some(48));
        (0..1000).for_each(|_| suspects.accuse(3));
        assert_eq!(penalty(&mut suspects), Some(1024));
    }
}
