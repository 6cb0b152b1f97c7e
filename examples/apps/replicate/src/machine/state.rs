use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::machine::MemberIndex;

use crate::message::Prepared;
use crate::statement::Digest;
use crate::value::{Request, Value};

/// State of a slot above the last stable checkpoint.
pub(crate) struct SlotState<S> {
    /// The last accepted value with its view. Durable.
    pub(crate) accepted: Option<(u64, Value)>,
    /// The certificate of the highest view. Durable.
    pub(crate) prepared: Option<Prepared<S>>,
    /// The decided value. Durable.
    pub(crate) decided: Option<Value>,
    /// The value that other replicas report as decided.
    pub(crate) reports: BTreeMap<MemberIndex, Value>,
    /// Votes of the current view.
    pub(crate) votes: Votes<S>,
}

/// Votes of one slot in the current view.
pub(crate) struct Votes<S> {
    /// The leader's proposal that is not accepted yet.
    pub(crate) proposal: Option<Value>,
    /// Values accepted on the fast path.
    pub(crate) accepts: BTreeMap<MemberIndex, Value>,
    /// Verified `Prepare`.
    pub(crate) prepares: BTreeMap<MemberIndex, (Value, S)>,
    /// Verified `Commit`.
    pub(crate) commits: BTreeMap<MemberIndex, (Value, S)>,
    /// Path of the slot.
    pub(crate) is_slow: bool,
    /// Replicas that were sent the leader's contradicting vote.
    pub(crate) witnessed: BTreeSet<MemberIndex>,
}

impl<S> Default for SlotState<S> {
    fn default() -> Self {
        Self {
            accepted: None,
            prepared: None,
            decided: None,
            reports: BTreeMap::new(),
            votes: Votes::default(),
        }
    }
}

impl<S> Default for Votes<S> {
    fn default() -> Self {
        Self {
            proposal: None,
            accepts: BTreeMap::new(),
            prepares: BTreeMap::new(),
            commits: BTreeMap::new(),
            is_slow: false,
            witnessed: BTreeSet::new(),
        }
    }
}

/// The pending request of a client.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientState {
    /// The last request that this replica echoed.
    pub(crate) own: Option<Request>,
    /// The last request that each replica echoed, including this one.
    pub(crate) echoes: BTreeMap<MemberIndex, Request>,
}

impl ClientState {
    /// Returns the number of replicas that echoed a request.
    pub(crate) fn echoes(&self, request: &Request) -> usize {
        self.echoes.values().filter(|echoed| *echoed == request).count()
    }

    /// Remembers a replica's echo, if it is newer than its last one.
    pub(crate) fn note(&mut self, from: MemberIndex, request: Request) -> bool {
        let newer = self.echoes.get(&from).is_none_or(|before| before.sequence < request.sequence);
        if newer {
            self.echoes.insert(from, request);
        }
        newer
    }
}

/// A checkpoint that is not stable yet.
pub(crate) struct CheckpointVotes<S> {
    /// This replica's state, once it has executed the slot.
    pub(crate) state: Option<(Arc<[u8]>, Digest)>,
    /// Verified votes, including this replica's.
    pub(crate) votes: BTreeMap<MemberIndex, (Digest, S)>,
}

impl<S> Default for CheckpointVotes<S> {
    fn default() -> Self {
        Self { state: None, votes: BTreeMap::new() }
    }
}

/// Treatment of a signed message before its signature is verified.
pub(crate) enum Triage {
    /// The message changes nothing, or n − f others suffice.
    Ignore,
    /// Verify it, at once if that is fast.
    Verify,
    /// It may be evidence, which is never urgent.
    Defer,
}

/// Returns the value with at least `needed` votes, if any. There is at most one above half of the replicas.
pub(crate) fn agreed<'a>(votes: impl Iterator<Item = &'a Value> + Clone, needed: usize) -> Option<Value> {
    votes.clone().find(|value| votes.clone().filter(|other| other == value).count() >= needed).copied()
}
