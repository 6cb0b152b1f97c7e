//! The check that no honest node signs two contradicting statements, whatever state its disk was in when it started.

use std::collections::BTreeMap;

use quorate::guard::GuardRecord;
use quorate_simulator::{Node, Verdict, Violation};

/// The statements that honest nodes have signed, over all starts. A record is durable before its signature leaves, so every
/// signature that any node can ever receive is here.
#[derive(Debug, Default)]
pub struct SignedOnce(BTreeMap<(usize, u8, u64, u64), GuardRecord>);

impl SignedOnce {
    /// Records a statement that a node signed.
    ///
    /// # Errors
    /// A violation `equivocation` if the node has signed another statement of the same kind, epoch and view.
    pub fn record(&mut self, node: Node, record: &GuardRecord) -> Verdict {
        if !node.honest {
            return Ok(());
        }
        let position = (node.slot, record.kind().number(), record.epoch(), record.view());
        let first = self.0.entry(position).or_insert(*record);
        if first == record {
            return Ok(());
        }
        let (_, kind, epoch, view) = position;
        let detail = format!(
            "node {} signed two statements of kind {kind} in epoch {epoch} and view {view}: {first:?} and {record:?}",
            node.slot
        );
        Err(Violation::new("equivocation", detail))
    }
}
