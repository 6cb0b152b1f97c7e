//! The states that this member computed, compared with the states that blocks name.

use std::collections::BTreeMap;

use quorate::merkle::Hash;

/// The application's state after the block at a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Height of the last executed block; 0 before the first.
    pub height: u64,
    /// State root after that block.
    pub state_root: Hash,
}

/// Result of comparing a state that a block names with this member's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateCheck {
    /// This member computed the same state.
    Matches,
    /// This member computed this other state.
    Differs(Hash),
    /// This member does not know its state at that height: it has not executed the height yet, or executed it before a
    /// restart.
    Unknown,
}

/// The states from the last one that the committed chain names up to the newest.
#[derive(Debug)]
pub struct Execution {
    roots: BTreeMap<u64, Hash>,
    newest: Executed,
}

impl Execution {
    /// Returns the states of a member that executed up to `executed`. `recent` lists older states that are still known.
    pub fn new(executed: Executed, recent: &[Executed]) -> Self {
        let older = recent.iter().filter(|older| older.height < executed.height);
        let roots = older.chain([&executed]).map(|state| (state.height, state.state_root)).collect();
        Self { roots, newest: executed }
    }

    /// Returns the newest state.
    pub fn newest(&self) -> Executed {
        self.newest
    }

    /// Returns the newest known state at or below a height.
    pub fn up_to(&self, height: u64) -> Option<Executed> {
        self.roots
            .range(..=height)
            .next_back()
            .map(|(height, root)| Executed { height: *height, state_root: *root })
    }

    /// Records a newer state. Returns false if it is not newer. Heights may be skipped; states that blocks name at skipped
    /// heights are not compared.
    pub fn record(&mut self, executed: Executed) -> bool {
        if executed.height <= self.newest.height {
            return false;
        }
        self.roots.insert(executed.height, executed.state_root);
        self.newest = executed;
        true
    }

    /// Compares a state that a block names with this member's own.
    pub fn check(&self, stated: Executed) -> StateCheck {
        match self.roots.get(&stated.height) {
            Some(root) if *root == stated.state_root => StateCheck::Matches,
            Some(root) => StateCheck::Differs(*root),
            None => StateCheck::Unknown,
        }
    }

    /// Drops states below a height, except the newest. Heights only rise along a chain, so no later block names them.
    pub fn prune_below(&mut self, height: u64) {
        self.roots = self.roots.split_off(&height.min(self.newest.height));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_compared_at_known_heights() {
        let at = |height, byte| Executed { height, state_root: [byte; 32] };
        let mut execution = Execution::new(at(5, 5), &[at(3, 3), at(5, 8), at(7, 7)]);
        assert!(execution.record(at(6, 6)) && !execution.record(at(5, 9)) && !execution.record(at(6, 6)));
        assert_eq!(execution.check(at(6, 6)), StateCheck::Matches);
        assert_eq!(
            (execution.up_to(4), execution.up_to(5), execution.up_to(9)),
            (Some(at(3, 3)), Some(at(5, 5)), Some(at(6, 6)))
        );
        assert_eq!(execution.check(at(6, 7)), StateCheck::Differs([6; 32]));
        assert_eq!(execution.check(at(7, 7)), StateCheck::Unknown);
        assert_eq!(execution.check(at(3, 3)), StateCheck::Matches, "passed in at the start");
        assert_eq!(execution.check(at(4, 9)), StateCheck::Unknown, "executed before the restart");
        assert!(execution.record(at(9, 9)));
        assert_eq!(execution.check(at(8, 1)), StateCheck::Unknown, "skipped");
        execution.prune_below(6);
        assert_eq!(execution.check(at(5, 9)), StateCheck::Unknown);
        assert_eq!(execution.newest(), at(9, 9));
    }
}
