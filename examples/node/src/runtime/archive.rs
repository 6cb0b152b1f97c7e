use std::sync::Arc;
use std::sync::mpsc::Receiver;

use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate_jolteon::{HistoryRequest, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES, Message, block_range};

use super::shared::Shared;
use super::writer::{Question, send};
use crate::Result;
use crate::links::LinkSender;
use crate::store::Store;

/// A thread that answers peers from the archive, so that nothing else waits for those reads.
pub(super) struct Archivist<S: Scheme> {
    pub(super) store: Arc<Store<S>>,
    pub(super) links: LinkSender,
    pub(super) questions: Receiver<Question>,
    pub(super) shared: Arc<Shared>,
}

impl<S: Scheme> Archivist<S> {
    /// Runs until nobody can ask any more.
    pub(super) fn run(self) {
        for (to, request) in &self.questions {
            if let Err(error) = self.answer(to, request) {
                self.shared.fail(error);
                break;
            }
        }
    }

    fn answer(&self, to: MemberIndex, request: HistoryRequest) -> Result<()> {
        match request {
            HistoryRequest::Blocks { from } => {
                let blocks = self.store.history(from, MAX_RANGE_BLOCKS, MAX_RANGE_BYTES)?;
                if !blocks.is_empty() {
                    send(&self.links, to, &block_range(blocks));
                }
            }
            HistoryRequest::Batches(digests) => {
                for digest in digests {
                    if let Some(batch) = self.store.batch(&digest)? {
                        send(&self.links, to, &Message::<S>::BatchReply(batch));
                    }
                }
            }
        }
        Ok(())
    }
}
