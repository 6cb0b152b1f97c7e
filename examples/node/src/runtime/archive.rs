use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::shared::Shared;
use super::writer::{Question, send};
use crate::links::LinkSender;
use crate::protocol::Protocol;
use crate::store::Store;

/// A thread that answers peers from the archive, so that nothing else waits for those reads.
pub(super) struct Archivist<P: Protocol> {
    pub(super) store: Arc<Store<P>>,
    pub(super) links: LinkSender,
    pub(super) questions: Receiver<Question<P>>,
    pub(super) shared: Arc<Shared>,
}

impl<P: Protocol> Archivist<P> {
    /// Runs until nobody can ask any more.
    pub(super) fn run(self) {
        for (to, request) in &self.questions {
            let answered =
                P::answer(&*self.store, request, &mut |message| send::<P>(&self.links, to, message));
            if let Err(error) = answered {
                self.shared.fail(error);
                break;
            }
        }
    }
}
