//! The answers to a client's requests: which one f + 1 replicas gave, and which replicas gave another.

use std::collections::{BTreeMap, BTreeSet};

use super::frames::Reply;
use crate::Answer;

/// Number of accepted answers that later ones are compared with.
const REMEMBERED: usize = 1_024;

/// The answers of all replicas to the current request, and the accepted answers to earlier ones.
pub(super) struct Answers {
    /// f + 1.
    needed: usize,
    /// Number of the current request.
    sequence: u64,
    /// First answer of each replica to the current request.
    given: BTreeMap<u16, Answer>,
    /// Higher number that each replica executed instead of the current request.
    later: BTreeMap<u16, u64>,
    /// Accepted answers by the number of the request.
    accepted: BTreeMap<u64, Answer>,
    /// Replicas that gave a wrong answer and are not reported yet.
    liars: BTreeSet<u16>,
}

impl Answers {
    pub(super) fn new(faulty: usize) -> Self {
        Self {
            needed: faulty + 1,
            sequence: 0,
            given: BTreeMap::new(),
            later: BTreeMap::new(),
            accepted: BTreeMap::new(),
            liars: BTreeSet::new(),
        }
    }

    /// Begins the request with this number.
    pub(super) fn begin(&mut self, sequence: u64) {
        self.sequence = sequence;
        self.given.clear();
        self.later.clear();
    }

    /// Notes a replica's reply. A correct replica always gives the same answer to a request, which is the one that f + 1
    /// replicas give.
    pub(super) fn note(&mut self, replica: u16, sequence: u64, reply: Reply) {
        let answer = match reply {
            Reply::Answer(answer) => answer,
            Reply::Outdated(last) => {
                if sequence == self.sequence && last > sequence {
                    self.later.insert(replica, last);
                }
                return;
            }
        };
        let mut is_wrong = self.accepted.get(&sequence).is_some_and(|accepted| *accepted != answer);
        if sequence == self.sequence {
            is_wrong |= *self.given.entry(replica).or_insert(answer) != answer;
        }
        if is_wrong {
            self.liars.insert(replica);
        }
    }

    /// Returns a number above that of the current request which f + 1 replicas have reached, if there is one: at least one of them
    /// is correct, and the group executes the current request no more.
    pub(super) fn outdated(&self) -> Option<u64> {
        let mut later: Vec<u64> = self.later.values().copied().collect();
        later.sort_unstable_by(|a, b| b.cmp(a));
        later.get(self.needed - 1).copied()
    }

    /// Number of replicas that answered the current request.
    pub(super) fn count(&self) -> usize {
        self.given.len()
    }

    /// Returns true if the replica answered the current request.
    pub(super) fn has(&self, replica: u16) -> bool {
        self.given.contains_key(&replica)
    }

    /// Returns the answer to the current request that f + 1 replicas gave, with these replicas. Others that answered are liars.
    pub(super) fn accept(&mut self) -> Option<(Answer, Vec<u16>)> {
        let of = |answer: Answer| self.given.iter().filter(move |(_, other)| **other == answer);
        let answer = *self.given.values().find(|answer| of(**answer).count() >= self.needed)?;
        let replicas = of(answer).map(|(replica, _)| *replica).collect();
        self.liars
            .extend(self.given.iter().filter(|(_, other)| **other != answer).map(|(replica, _)| *replica));
        self.accepted.insert(self.sequence, answer);
        if self.accepted.len() > REMEMBERED {
            self.accepted.pop_first();
        }
        Some((answer, replicas))
    }

    /// Returns the replicas that gave a wrong answer, each once per call after which it did so again.
    pub(super) fn take_liars(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.liars).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Answer = [1; 8];
    const WRONG: Answer = [2; 8];

    fn answers() -> Answers {
        let mut answers = Answers::new(1);
        answers.begin(5);
        answers
    }

    #[test]
    fn a_wrong_answer_is_named_whenever_it_arrives() {
        // Replica 3 lies: before, between and after the right answers, and after the next request began.
        for position in 0..4 {
            let mut answers = answers();
            for turn in 0..4 {
                if turn == position {
                    answers.note(3, 5, Reply::Answer(WRONG));
                } else {
                    answers.note(turn, 5, Reply::Answer(RIGHT));
                }
                if let Some((answer, _)) = answers.accept() {
                    assert_eq!(answer, RIGHT);
                }
            }
            assert_eq!(answers.take_liars(), [3], "{position}");
            assert!(answers.take_liars().is_empty());
        }
        let mut answers = answers();
        answers.note(0, 5, Reply::Answer(RIGHT));
        assert_eq!(answers.accept(), None);
        answers.note(1, 5, Reply::Answer(RIGHT));
        assert_eq!(answers.accept(), Some((RIGHT, vec![0, 1])));
        answers.begin(6);
        answers.note(2, 5, Reply::Answer(RIGHT));
        answers.note(3, 5, Reply::Answer(WRONG));
        assert_eq!((answers.count(), answers.take_liars()), (0, vec![3]));
    }

    #[test]
    fn a_replica_that_contradicts_itself_is_named_and_counts_once() {
        let mut answers = answers();
        answers.note(3, 5, Reply::Answer(WRONG));
        answers.note(3, 5, Reply::Answer(RIGHT));
        answers.note(0, 5, Reply::Answer(RIGHT));
        assert_eq!((answers.accept(), answers.take_liars()), (None, vec![3]));
    }

    #[test]
    fn a_request_is_outdated_if_a_correct_replica_says_so() {
        let mut answers = answers();
        // A liar alone says nothing, and its number is not believed.
        answers.note(3, 5, Reply::Outdated(u64::MAX));
        assert_eq!(answers.outdated(), None);
        answers.note(0, 4, Reply::Outdated(8));
        assert_eq!(answers.outdated(), None, "about another request");
        answers.note(0, 5, Reply::Outdated(8));
        assert_eq!(answers.outdated(), Some(8));
        answers.begin(9);
        assert_eq!(answers.outdated(), None);
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut answers = Answers::new(0);
        for sequence in 1..=3 * REMEMBERED as u64 {
            answers.begin(sequence);
            answers.note(0, sequence, Reply::Answer(RIGHT));
            assert!(answers.accept().is_some());
        }
        assert_eq!(answers.accepted.len(), REMEMBERED);
    }
}
