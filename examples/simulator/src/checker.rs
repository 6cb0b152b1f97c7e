//! Safety checkers for hosts.

use core::fmt::{self, Debug};

use crate::node::Node;

/// A violated property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Short, stable name of the property.
    pub property: &'static str,
    /// Description of the violation.
    pub detail: String,
}

impl Violation {
    /// Creates a violation of `property`.
    pub fn new(property: &'static str, detail: impl Into<String>) -> Violation {
        Violation { property, detail: detail.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.detail)
    }
}

/// Result of a property check.
pub type Verdict = Result<(), Violation>;

/// Result of [`Agreement::deliver`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// No honest node had delivered this height before.
    First,
    /// An honest node delivered the same digest before.
    Repeated,
    /// The node is Byzantine; its delivery is not checked.
    Ignored,
}

/// Safety checker for protocols that deliver a sequence.
///
/// No two honest nodes deliver different digests at one height, and each honest node delivers every height in order,
/// once per run. Cost: O(1) per delivery and one stored digest per height.
#[derive(Clone, Debug)]
pub struct Agreement<D> {
    base: u64,
    agreed: Vec<(D, usize)>,
    nodes: Vec<NodeProgress>,
}

#[derive(Clone, Copy, Debug, Default)]
struct NodeProgress {
    /// One above the highest height delivered in any run of the node; 0 if there is none.
    end: u64,
    /// Next height to deliver; `None` at the start of a run.
    next: Option<u64>,
}

impl<D: PartialEq + Debug + Clone> Agreement<D> {
    /// Creates a checker without deliveries. `base` is the first height.
    pub fn new(base: u64) -> Self {
        Self { base, agreed: Vec::new(), nodes: Vec::new() }
    }

    /// Records a node's start. Call it from [`Host::on_start`](crate::Host::on_start).
    ///
    /// The node's next delivery may repeat any height that it delivered before, but may not skip one.
    pub fn on_start(&mut self, node: Node) {
        self.progress(node.slot).next = None;
    }

    /// Records that a node adopted all heights up to and including `height` without delivering them.
    pub fn on_snapshot(&mut self, node: Node, height: u64) {
        let progress = self.progress(node.slot);
        progress.end = progress.end.max(height + 1);
        progress.next = Some(height + 1);
    }

    /// Records the delivery of `digest` at `height`.
    ///
    /// # Errors
    /// `order` if heights are skipped or repeated, `agreement` if an honest node delivered a different digest.
    pub fn deliver(&mut self, node: Node, height: u64, digest: D) -> Result<Delivered, Violation> {
        if !node.honest {
            return Ok(Delivered::Ignored);
        }
        let base = self.base;
        let progress = self.progress(node.slot);
        let end = progress.end.max(base);
        let in_order = match progress.next {
            Some(next) => height == next,
            None => (base..=end).contains(&height),
        };
        if !in_order {
            let expected = progress.next.map_or(format!("at most {end}"), |next| next.to_string());
            let detail = format!("node {} delivered height {height}, expected {expected}", node.slot);
            return Err(Violation::new("order", detail));
        }
        progress.next = Some(height + 1);
        progress.end = end.max(height + 1);
        self.compare(node, height, digest)
    }

    /// Returns the highest height delivered by an honest node.
    pub fn highest(&self) -> Option<u64> {
        self.agreed.len().checked_sub(1).map(|last| self.base + last as u64)
    }

    /// Returns the digest that honest nodes delivered at a height.
    pub fn at(&self, height: u64) -> Option<&D> {
        let index = usize::try_from(height.checked_sub(self.base)?).ok()?;
        self.agreed.get(index).map(|(digest, _)| digest)
    }

    /// Returns the highest height that a node delivered; `None` if it delivered none.
    pub fn reached(&self, node: Node) -> Option<u64> {
        self.nodes.get(node.slot)?.end.checked_sub(1)
    }

    fn compare(&mut self, node: Node, height: u64, digest: D) -> Result<Delivered, Violation> {
        let index = usize::try_from(height - self.base).unwrap_or(usize::MAX);
        match self.agreed.get(index) {
            Some((agreed, _)) if *agreed == digest => Ok(Delivered::Repeated),
            Some((agreed, first)) => {
                let slot = node.slot;
                let detail =
                    format!("at height {height} node {first} delivered {agreed:?}, node {slot} {digest:?}");
                Err(Violation::new("agreement", detail))
            }
            None if index == self.agreed.len() => {
                self.agreed.push((digest, node.slot));
                Ok(Delivered::First)
            }
            // After a snapshot: no honest node delivered the heights in between.
            None => {
                let detail = format!(
                    "node {} delivered height {height} but no honest node delivered the heights before it",
                    node.slot
                );
                Err(Violation::new("order", detail))
            }
        }
    }

    fn progress(&mut self, slot: usize) -> &mut NodeProgress {
        if self.nodes.len() <= slot {
            self.nodes.resize_with(slot + 1, NodeProgress::default);
        }
        // The resize above makes room for it.
        #[allow(clippy::indexing_slicing)]
        &mut self.nodes[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(slot: usize) -> Node {
        Node { slot, member: slot as u16, honest: true }
    }

    #[test]
    fn different_digests_at_one_height_are_found() {
        let mut agreement = Agreement::new(1);
        assert_eq!(agreement.deliver(node(0), 1, 'a'), Ok(Delivered::First));
        assert_eq!(agreement.deliver(node(1), 1, 'a'), Ok(Delivered::Repeated));
        let byzantine = Node { honest: false, ..node(2) };
        assert_eq!(agreement.deliver(byzantine, 1, 'b'), Ok(Delivered::Ignored));
        assert_eq!(agreement.deliver(node(3), 1, 'b').unwrap_err().property, "agreement");
        assert_eq!((agreement.highest(), agreement.at(1), agreement.at(2)), (Some(1), Some(&'a'), None));
    }

    #[test]
    fn gaps_and_repetitions_are_found() {
        let mut agreement = Agreement::new(0);
        assert_eq!(agreement.deliver(node(0), 1, 'a').unwrap_err().property, "order");
        assert_eq!(agreement.deliver(node(0), 0, 'a'), Ok(Delivered::First));
        assert_eq!(agreement.deliver(node(0), 2, 'c').unwrap_err().property, "order");
        assert_eq!(agreement.deliver(node(0), 0, 'a').unwrap_err().property, "order");
    }

    #[test]
    fn a_restarted_node_may_repeat_but_not_leave_out() {
        let mut agreement = Agreement::new(1);
        for (height, digest) in [(1, 'a'), (2, 'b'), (3, 'c')] {
            agreement.deliver(node(0), height, digest).unwrap();
        }
        agreement.on_start(node(0));
        assert_eq!(agreement.deliver(node(0), 5, 'e').unwrap_err().property, "order");
        assert_eq!(agreement.deliver(node(0), 2, 'b'), Ok(Delivered::Repeated));
        assert_eq!(agreement.deliver(node(0), 4, 'd').unwrap_err().property, "order");
        assert_eq!(agreement.deliver(node(0), 3, 'x').unwrap_err().property, "agreement");
    }

    #[test]
    fn delivery_continues_after_a_snapshot() {
        let mut agreement = Agreement::new(1);
        for height in 1..=5 {
            agreement.deliver(node(0), height, height).unwrap();
        }
        agreement.on_start(node(1));
        agreement.on_snapshot(node(1), 4);
        assert_eq!(agreement.deliver(node(1), 5, 5), Ok(Delivered::Repeated));
        assert_eq!(agreement.reached(node(1)), Some(5));
        agreement.on_snapshot(node(2), 8);
        assert_eq!(agreement.deliver(node(2), 9, 9).unwrap_err().property, "order");
    }
}
