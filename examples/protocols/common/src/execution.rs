//! Which states this member computed, to compare with what others state.

use std::collections::BTreeMap;

use quorate::merkle::Hash;

/// The application's state after the block at a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// The last block that was executed; 0 for none.
    pub height: u64,
    /// The root after it.
    pub state_root: Hash,
}

/// What this member says about a state that a block names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It computed the same.
    Agreed,
    /// It computed another.
    Differs(Hash),
    /// It has not executed that height yet, or had executed it before it restarted, and cannot know.
    Unknown,
}

/// The states from the last one that the committed chain speaks of, up to the newest.
#[derive(Debug)]
pub struct Execution {
    roots: BTreeMap<u64, Hash>,
    newest: Executed,
}

impl Execution {
    /// `recent` are older states that are still known.
    pub fn new(executed: Executed, recent: &[Executed]) -> Self {
        let older = recent.iter().filter(|older| older.height < executed.height);
        let roots = older.chain([&executed]).map(|state| (state.height, state.state_root)).collect();
        Self { roots, newest: executed }
    }

    /// The newest state.
    pub fn newest(&self) -> Executed {
        self.newest
    }

    /// The newest state up to a height, if it is known.
    pub fn up_to(&self, height: u64) -> Option<Executed> {
        self.roots
            .range(..=height)
            .next_back()
            .map(|(height, root)| Executed { height: *height, state_root: *root })
    }

    /// Notes a newer state; false if it is not newer. Heights may be left out: what others say of those is not
    /// compared.
    pub fn note(&mut self, executed: Executed) -> bool {
        if executed.height <= self.newest.height {
            return false;
        }
        self.roots.insert(executed.height, executed.state_root);
        self.newest = executed;
        true
    }

    /// Compares a stated state with the own one.
    pub fn judge(&self, stated: Executed) -> Verdict {
        match self.roots.get(&stated.height) {
            Some(root) if *root == stated.state_root => Verdict::Agreed,
            Some(root) => Verdict::Differs(*root),
            None => Verdict::Unknown,
        }
    }

    /// Forgets what no block can name any more: heights only ever rise along a chain.
    pub fn forget_below(&mut self, height: u64) {
        self.roots = self.roots.split_off(&height.min(self.newest.height));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_compared_where_they_are_known() {
        let at = |height, byte| Executed { height, state_root: [byte; 32] };
        let mut execution = Execution::new(at(5, 5), &[at(3, 3), at(5, 8), at(7, 7)]);
        assert!(execution.note(at(6, 6)) && !execution.note(at(5, 9)) && !execution.note(at(6, 6)));
        assert_eq!(execution.judge(at(6, 6)), Verdict::Agreed);
        assert_eq!(
            (execution.up_to(4), execution.up_to(5), execution.up_to(9)),
            (Some(at(3, 3)), Some(at(5, 5)), Some(at(6, 6)))
        );
        assert_eq!(execution.judge(at(6, 7)), Verdict::Differs([6; 32]));
        assert_eq!(execution.judge(at(7, 7)), Verdict::Unknown);
        assert_eq!(execution.judge(at(3, 3)), Verdict::Agreed, "handed over at the start");
        assert_eq!(execution.judge(at(4, 9)), Verdict::Unknown, "from before the restart");
        assert!(execution.note(at(9, 9)));
        assert_eq!(execution.judge(at(8, 1)), Verdict::Unknown, "left out");
        execution.forget_below(6);
        assert_eq!(execution.judge(at(5, 9)), Verdict::Unknown);
        assert_eq!(execution.newest(), at(9, 9));
    }
}
