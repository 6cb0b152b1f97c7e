//! The one thread that writes the log and sends commands to Redis, in this order.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::Ended;
use super::upstream::{Pending, Upstream};
use crate::failure::Failure;
use crate::log::{LogWriter, MAX_GROUP, OVERHEAD, Written};
use crate::outbox::Outbox;

/// A command that was accepted.
pub(super) struct Op {
    pub(super) outbox: Arc<Outbox>,
    pub(super) sequence: u64,
    pub(super) received: u64,
    pub(super) signer: [u8; 32],
    /// The signed command.
    pub(super) body: Vec<u8>,
    /// Where in it the RESP begins.
    pub(super) command: usize,
    /// Its connection's place for a command that is not answered yet.
    pub(super) place: OwnedSemaphorePermit,
    /// Its bytes' place in memory.
    pub(super) _room: OwnedSemaphorePermit,
}

/// The most commands that are made durable together.
const GROUP: usize = 1024;

/// Starts the thread. It ends when nobody can send it anything any more, or when the disk fails.
pub(super) fn start(
    log: LogWriter,
    mut waiting: mpsc::Receiver<Op>,
    upstream: Arc<Upstream>,
    fail: oneshot::Sender<Failure>,
) -> Result<Ended, Failure> {
    let (ending, ended) = Ended::pair();
    let work = move || {
        // Dropped last: the log is not ours any more then.
        let _ending = ending;
        let mut log = log;
        let mut next = waiting.blocking_recv();
        while let Some(first) = next.take() {
            let mut group = vec![first];
            let mut bytes = size(&group);
            while group.len() < GROUP {
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
                group.iter().map(|op| Written { received: op.received, signer: op.signer, body: &op.body });
            match log.append(written) {
                Ok(first) => execute(&upstream, group, first),
                Err(error) => {
                    // What the disk has is unknown, so nothing of it may be executed.
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

fn size(ops: &[Op]) -> usize {
    ops.iter().map(|op| OVERHEAD + op.body.len()).sum()
}

fn execute(upstream: &Upstream, group: Vec<Op>, first: u64) {
    let mut commands = Vec::with_capacity(group.iter().map(|op| op.body.len() - op.command).sum());
    let pending = group.into_iter().zip(first..).map(|(op, entry)| {
        commands.extend_from_slice(op.body.get(op.command..).unwrap_or_default());
        Pending { outbox: op.outbox, sequence: op.sequence, entry, _place: op.place }
    });
    let pending: Vec<_> = pending.collect();
    upstream.execute(pending, &commands);
}
