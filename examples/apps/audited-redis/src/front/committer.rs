//! The thread that writes the log and then sends commands to Redis.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::thread_exit::ThreadExit;
use super::upstream::{PendingReply, Upstream};
use crate::failure::Failure;
use crate::log::{LogWriter, MAX_GROUP, NewEntry, OVERHEAD};
use crate::outbox::Outbox;

/// An accepted command.
pub(super) struct AcceptedCommand {
    pub(super) outbox: Arc<Outbox>,
    pub(super) sequence: u64,
    pub(super) received: u64,
    pub(super) signer: [u8; 32],
    /// The signed command.
    pub(super) body: Vec<u8>,
    /// Offset of the RESP in it.
    pub(super) command: usize,
    /// The command's share of its connection's limit of unanswered commands.
    pub(super) place: OwnedSemaphorePermit,
    /// The command's share of the memory limit.
    pub(super) _room: OwnedSemaphorePermit,
}

/// Maximum number of commands in a group.
const MAX_GROUP_COMMANDS: usize = 1024;

/// Starts the thread. It ends when all senders are dropped, or when the disk fails.
pub(super) fn start(
    log: LogWriter,
    mut waiting: mpsc::Receiver<AcceptedCommand>,
    upstream: Arc<Upstream>,
    fail: oneshot::Sender<Failure>,
) -> Result<ThreadExit, Failure> {
    let (ending, ended) = ThreadExit::pair();
    let work = move || {
        // Dropped last, after the log is closed.
        let _ending = ending;
        let mut log = log;
        let mut next = waiting.blocking_recv();
        while let Some(first) = next.take() {
            let mut group = vec![first];
            let mut bytes = size(&group);
            while group.len() < MAX_GROUP_COMMANDS {
                match waiting.try_recv() {
                    Ok(op) if bytes + size(std::slice::from_ref(&op)) <= MAX_GROUP => {
                        bytes += size(std::slice::from_ref(&op));
                        group.push(op);
                    }
                    Ok(op) => {
                        next = Some(op);
                        break;
                    }
                    Err(_) => break,
                }
            }
            let written =
                group.iter().map(|op| NewEntry { received: op.received, signer: op.signer, body: &op.body });
            match log.append(written) {
                Ok(first) => execute(&upstream, group, first),
                Err(error) => {
                    // The content of the disk is unknown, so none of these commands may be executed.
                    let _ = fail.send(Failure::failed(format!("writing the log: {error}")));
                    return;
                }
            }
            if next.is_none() {
                next = waiting.blocking_recv();
            }
        }
    };
    let thread = std::thread::Builder::new().name("committer".into());
    thread.spawn(work).map_err(|error| Failure::failed(format!("starting a thread: {error}")))?;
    Ok(ended)
}

fn size(ops: &[AcceptedCommand]) -> usize {
    ops.iter().map(|op| OVERHEAD + op.body.len()).sum()
}

fn execute(upstream: &Upstream, group: Vec<AcceptedCommand>, first: u64) {
    let mut commands = Vec::with_capacity(group.iter().map(|op| op.body.len() - op.command).sum());
    let pending = group.into_iter().zip(first..).map(|(op, entry)| {
        commands.extend_from_slice(op.body.get(op.command..).unwrap_or_default());
        PendingReply { outbox: op.outbox, sequence: op.sequence, entry, _place: op.place }
    });
    let pending: Vec<_> = pending.collect();
    upstream.execute(pending, &commands);
}
