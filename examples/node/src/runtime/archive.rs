use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::shared::Shared;
use super::writer::{PeerRequest, send};
use crate::links::LinkSender;
use crate::protocol::Protocol;
use crate::store::Store;

/// Thread that answers peers from the archive, so that no other thread waits for these reads.
pub(super) struct ArchiveServer<P: Protocol> {
    pub(super) store: Arc<Store<P>>,
    pub(super) links: LinkSender,
    pub(super) requests: Receiver<PeerRequest<P>>,
    pub(super) shared: Arc<Shared>,
}

impl<P: Protocol> ArchiveServer<P> {
    /// Runs until all senders of requests are dropped.
    pub(super) fn run(self) {
        for (to, request) in &self.requests {
            let answered =
                P::answer(&*self.store, request, &mut |message| send::<P>(&self.links, to, message));
            if let Err(error) = answered {
                self.shared.fail(error);
                break;
            }
        }
    }
}
