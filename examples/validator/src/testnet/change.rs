use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use quorate_node::genesis::{Genesis, Member};
use quorate_node::keys::NodeKeys;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::network::Network;
use super::watch::Watch;
use crate::api::Api;
use crate::chain::Chain;
use crate::commands::member::{Begun, Proposal, make};
use crate::exit::{Exit, Failure, OrFail};

/// Time limit of a change.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time limit of one attempt: a killed validator forgets its pending transactions.
const ATTEMPT: Duration = Duration::from_secs(10);
/// Pause before the next attempt, after a killed validator or a conflicting change.
const PAUSE: Duration = Duration::from_millis(300);

/// A requested membership change.
#[derive(Clone, Debug)]
pub(crate) enum MemberRequest {
    /// This validator joins.
    Join(Box<Member>),
    /// The validator of this name leaves.
    Leave(String),
}

/// Keys and addresses needed to make changes on behalf of the members.
#[derive(Clone, Debug)]
pub(crate) struct Approvers {
    pub genesis: PathBuf,
    /// HTTP interfaces of the running validators.
    pub apis: Vec<Api>,
    /// Key files of all possible members.
    pub keys: Vec<PathBuf>,
}

impl Approvers {
    /// Returns the keys of all validators and the addresses of those that run and have caught up.
    pub(crate) fn reachable(network: &Network, watch: &Watch) -> Self {
        let runs = |(index, api)| network.is_running(index).then_some(api);
        let caught_up = |api: &Api| {
            let node = watch.nodes.iter().find(|node| node.is_at(api));
            node.and_then(|node| node.status.as_ref()).is_some_and(|status| !status.syncing)
        };
        let apis = network.apis().unwrap_or_default().into_iter().enumerate().filter_map(runs);
        Self {
            genesis: network.layout.genesis.clone(),
            apis: apis.filter(caught_up).collect(),
            keys: network.layout.nodes.iter().map(|node| node.keys.clone()).collect(),
        }
    }
}

/// Queue of membership changes. They are made one at a time, because each ends the epoch for which it is approved.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiting: VecDeque<(usize, MemberRequest)>,
    running: Option<(usize, JoinHandle<Result<Begun, Failure>>)>,
}

impl Changes {
    /// Queues a change. `tag` identifies it in the result of [`poll`](Self::poll).
    pub(crate) fn add(&mut self, tag: usize, request: MemberRequest) {
        self.waiting.push_back((tag, request));
    }

    /// Returns true if no change is queued or running.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_none()
    }

    /// Returns the result of a finished change, and starts the next one.
    pub(crate) async fn poll(
        &mut self,
        approvers: impl FnOnce() -> Approvers,
    ) -> Option<(usize, Result<Begun, Failure>)> {
        let done = match self.running.take() {
            Some((tag, task)) if task.is_finished() => {
                let ended =
                    |error| Failure::new(Exit::Failed, format!("a membership change failed: {error}"));
                Some((tag, task.await.unwrap_or_else(|error| Err(ended(error)))))
            }
            running => {
                self.running = running;
                None
            }
        };
        if self.running.is_none()
            && let Some((tag, request)) = self.waiting.pop_front()
        {
            self.running = Some((tag, tokio::spawn(carry_out(request, approvers()))));
        }
        done
    }
}

async fn carry_out(request: MemberRequest, approvers: Approvers) -> Result<Begun, Failure> {
    let genesis = Genesis::load(&approvers.genesis).or_fail(Exit::Setup, "cannot use the testnet's files")?;
    let deadline = Instant::now() + TIMEOUT;
    let mut apis = approvers.apis.iter().cycle();
    loop {
        let unreachable = || Failure::new(Exit::Unreachable, "no running validator to submit the change to");
        let api = apis.next().ok_or_else(unreachable)?;
        match attempt(&request, &genesis, api, &approvers.keys, deadline.min(Instant::now() + ATTEMPT)).await
        {
            // The validator was killed or is catching up, or another change came first.
            Err(failure)
                if matches!(failure.exit(), Exit::Unreachable | Exit::Refused | Exit::NotFound)
                    && Instant::now() < deadline =>
            {
                sleep(PAUSE).await;
            }
            made => return made,
        }
    }
}

async fn attempt(
    request: &MemberRequest,
    genesis: &Genesis,
    api: &Api,
    keys: &[PathBuf],
    deadline: Instant,
) -> Result<Begun, Failure> {
    let mut chain = Chain::fetch(genesis.clone(), api).await?;
    if let Some(begun) = is_made(request, &chain) {
        return Ok(begun);
    }
    let mut proposal = match request {
        MemberRequest::Join(member) => Proposal::join(&chain, (**member).clone())?,
        MemberRequest::Leave(name) => Proposal::leave(&chain, name)?,
    };
    for path in keys {
        let keys = NodeKeys::load(path, None).or_fail(Exit::Setup, "cannot use a validator's keys")?;
        let identity = keys.public().or_fail(Exit::Setup, "cannot use a validator's keys")?.identity_key;
        if !proposal.is_allowed() && chain.current()?.position(&identity).is_some() {
            proposal.allow(&keys)?;
        }
    }
    make(api, &mut chain, &proposal, deadline).await
}

/// Returns the epoch that an earlier attempt started, in case its response was lost.
fn is_made(request: &MemberRequest, chain: &Chain) -> Option<Begun> {
    let epochs = chain.epochs();
    let first = match request {
        MemberRequest::Join(member) => {
            epochs.iter().position(|epoch| epoch.position(&member.keys.identity_key).is_some())?
        }
        MemberRequest::Leave(name) => {
            epochs.iter().rposition(|epoch| epoch.find_member(name).is_some())?.checked_add(1)?
        }
    };
    let epoch = epochs.get(first)?;
    Some(Begun { epoch: epoch.number, first_height: epoch.first_height })
}
