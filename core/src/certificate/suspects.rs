use alloc::collections::BTreeMap;

use crate::machine::MemberIndex;

/// Members in whose name bad signatures came in, shared by all collectors of one committee. Their votes are
/// checked one by one, and only when the others do not reach the quorum, so that they cannot make every batch
/// fail.
///
/// An offence counts for 16 certificates, each further one during that time for twice what was left and 16 more,
/// never for more than 1,024; each certificate that is formed takes one off. So a member that was at fault once,
/// or that somebody else slandered over an unauthenticated path, is soon as good as any other.
#[derive(Clone, Debug, Default)]
pub struct Suspects {
    terms: BTreeMap<MemberIndex, u16>,
}

const TERM: u16 = 16;
const LONGEST_TERM: u16 = 1024;

impl Suspects {
    /// Nobody is suspected.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a member's votes are checked one by one.
    pub fn contains(&self, member: MemberIndex) -> bool {
        self.terms.contains_key(&member)
    }

    /// The suspects, ascending.
    pub fn iter(&self) -> impl Iterator<Item = MemberIndex> + '_ {
        self.terms.keys().copied()
    }

    /// How many suspects there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Counts an offence. Collectors do that themselves; it is public for bad votes that were found elsewhere.
    pub fn accuse(&mut self, member: MemberIndex) {
        let term = self.terms.entry(member).or_insert(0);
        *term = (*term * 2 + TERM).min(LONGEST_TERM);
    }

    /// Takes one certificate off every term. Collectors do that themselves when they form one.
    pub fn decay(&mut self) {
        self.terms.retain(|_, term| {
            *term -= 1;
            *term > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offence_is_forgiven_and_repeated_ones_last_longer_but_never_for_ever() {
        let mut suspects = Suspects::new();
        let term = |suspects: &mut Suspects| {
            (1..).find(|_| {
                suspects.decay();
                suspects.is_empty()
            })
        };
        suspects.accuse(3);
        assert_eq!(term(&mut suspects), Some(16));
        suspects.accuse(3);
        suspects.accuse(3);
        assert!(suspects.contains(3) && !suspects.contains(4));
        assert_eq!(term(&mut suspects), Some(48));
        (0..1000).for_each(|_| suspects.accuse(3));
        assert_eq!(term(&mut suspects), Some(1024));
    }
}
