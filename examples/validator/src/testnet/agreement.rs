use std::collections::BTreeMap;

use quorate_node::handle::Digest;

use crate::responses::BlockSummary;

/// Compares the blocks of all validators at every height, as they are reported.
#[derive(Debug, Default)]
pub(crate) struct Agreement {
    /// The first reported block at each height, starting at height 1.
    blocks: Vec<Digest>,
    /// Height up to which each validator was compared.
    compared: BTreeMap<usize, u64>,
    contradictions: Vec<Contradiction>,
}

/// Evidence that two validators delivered different blocks at one height: a violation of safety.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Contradiction {
    /// Height of the blocks.
    pub height: u64,
    /// The block that another validator reported first.
    pub first: Digest,
    /// The block that this validator reports.
    pub second: Digest,
    /// Index of this validator.
    pub node: usize,
}

impl Agreement {
    /// Returns the height up to which the validator was compared.
    pub(crate) fn compared(&self, node: usize) -> u64 {
        self.compared.get(&node).copied().unwrap_or(0)
    }

    /// Returns the greatest reported height.
    pub(crate) fn heights(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Returns the number of validators that reported a block.
    pub(crate) fn validators(&self) -> usize {
        self.compared.len()
    }

    /// Returns the contradictions.
    pub(crate) fn contradictions(&self) -> &[Contradiction] {
        &self.contradictions
    }

    /// Returns a one-sentence summary.
    pub(crate) fn verdict(&self) -> String {
        let (heights, validators) = (quorate_support::terminal::count(self.heights()), self.validators());
        match self.contradictions.first() {
            None => format!("no contradiction in {heights} heights over {validators} validators"),
            Some(c) => format!(
                "CONTRADICTION: {} of {heights} heights differ; at height {} validator {} has {}, another {}",
                self.contradictions.len(),
                c.height,
                c.node,
                c.second,
                c.first
            ),
        }
    }

    /// Compares blocks of `node` that follow its previously compared blocks.
    pub(crate) fn compare(&mut self, node: usize, blocks: &[BlockSummary]) {
        for block in blocks {
            let expected = self.compared(node) + 1;
            if block.height != expected {
                // The list is out of order: the missing blocks are requested again.
                return;
            }
            self.compared.insert(node, expected);
            match self.blocks.get(expected as usize - 1) {
                None => self.blocks.push(block.digest),
                Some(first) if *first == block.digest => {}
                Some(first) => self.contradictions.push(Contradiction {
                    height: expected,
                    first: *first,
                    second: block.digest,
                    node,
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(heights: std::ops::RangeInclusive<u64>, salt: u8) -> Vec<BlockSummary> {
        let block = |height| BlockSummary { height, digest: Digest([height as u8 ^ salt; 32]) };
        heights.map(block).collect()
    }

    #[test]
    fn equal_chains_of_different_length_agree() {
        let mut agreement = Agreement::default();
        agreement.compare(0, &blocks(1..=3, 0));
        agreement.compare(1, &blocks(1..=5, 0));
        agreement.compare(0, &blocks(4..=4, 0));
        assert_eq!(agreement.verdict(), "no contradiction in 5 heights over 2 validators");
        assert_eq!((agreement.compared(0), agreement.compared(1)), (4, 5));
    }

    #[test]
    fn one_different_block_is_found() {
        let mut agreement = Agreement::default();
        agreement.compare(0, &blocks(1..=5, 0));
        agreement.compare(1, &blocks(1..=2, 0));
        agreement.compare(1, &blocks(3..=3, 0x80));
        agreement.compare(1, &blocks(4..=5, 0));
        assert_eq!(agreement.contradictions().len(), 1);
        assert_eq!((agreement.contradictions()[0].height, agreement.contradictions()[0].node), (3, 1));
        assert!(agreement.verdict().starts_with("CONTRADICTION"));
    }

    #[test]
    fn a_list_with_a_gap_is_ignored() {
        let mut agreement = Agreement::default();
        agreement.compare(0, &blocks(2..=5, 0));
        assert_eq!(agreement.heights(), 0);
    }
}
