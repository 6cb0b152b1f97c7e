use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use quorate_node::genesis::{Genesis, Member};
use quorate_node::keys::NodeKeys;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::api::Api;
use crate::chain::Chain;
use crate::commands::member::{Begun, Proposal, make};
use crate::exit::{Exit, Failure, OrFail};

/// How long a change may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long one attempt may take: a validator that is killed forgets what it was told last.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How often it is tried again, if a validator was killed or another change came first.
const PAUSE: Duration = Duration::from_millis(300);

/// A change of the members that is to be made.
#[derive(Clone, Debug)]
pub(crate) enum Wish {
    /// This validator joins.
    Join(Box<Member>),
    /// The validator of this name leaves.
    Leave(String),
}

/// What is needed to make changes in the name of all members.
#[derive(Clone, Debug)]
pub(crate) struct Means {
    pub genesis: PathBuf,
    /// Of the validators that run.
    pub apis: Vec<Api>,
    /// Key files of everybody who may be a member.
    pub keys: Vec<PathBuf>,
}

/// Changes of the members, made one after another: each is allowed for one epoch, which it ends.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiting: VecDeque<(usize, Wish)>,
    running: Option<(usize, JoinHandle<Result<Begun, Failure>>)>,
}

impl Changes {
    /// Makes a change as soon as those before are made; `tag` says which one it was.
    pub(crate) fn add(&mut self, tag: usize, wish: Wish) {
        self.waiting.push_back((tag, wish));
    }

    /// Whether all are made.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_none()
    }

    /// What became of the one that was being made, if it is done; begins the next.
    pub(crate) async fn poll(
        &mut self,
        means: impl FnOnce() -> Means,
    ) -> Option<(usize, Result<Begun, Failure>)> {
        let done = match self.running.take() {
            Some((tag, task)) if task.is_finished() => {
                let ended = |error| Failure::new(Exit::Failed, format!("a change was not made: {error}"));
                Some((tag, task.await.unwrap_or_else(|error| Err(ended(error)))))
            }
            running => {
                self.running = running;
                None
            }
        };
        if self.running.is_none()
            && let Some((tag, wish)) = self.waiting.pop_front()
        {
            self.running = Some((tag, tokio::spawn(carry_out(wish, means()))));
        }
        done
    }
}

async fn carry_out(wish: Wish, means: Means) -> Result<Begun, Failure> {
    let genesis = Genesis::load(&means.genesis).or_fail(Exit::Setup, "cannot use the testnet's files")?;
    let deadline = Instant::now() + PATIENCE;
    let mut apis = means.apis.iter().cycle();
    loop {
        let nobody =
            || Failure::new(Exit::Unreachable, "no validator runs that could be asked for the change");
        let api = apis.next().ok_or_else(nobody)?;
        match attempt(&wish, &genesis, api, &means.keys, deadline.min(Instant::now() + ATTEMPT)).await {
            // A validator that is killed or catches up, or a change that came too late.
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
    wish: &Wish,
    genesis: &Genesis,
    api: &Api,
    keys: &[PathBuf],
    deadline: Instant,
) -> Result<Begun, Failure> {
    let mut chain = Chain::ask(genesis.clone(), api).await?;
    if let Some(begun) = is_made(wish, &chain) {
        return Ok(begun);
    }
    let mut proposal = match wish {
        Wish::Join(member) => Proposal::join(&chain, (**member).clone())?,
        Wish::Leave(name) => Proposal::leave(&chain, name)?,
    };
    for path in keys {
        let keys = NodeKeys::load(path).or_fail(Exit::Setup, "cannot use a validator's keys")?;
        let identity = keys.public().or_fail(Exit::Setup, "cannot use a validator's keys")?.identity_key;
        if !proposal.is_allowed() && chain.current()?.position(&identity).is_some() {
            proposal.allow(&keys)?;
        }
    }
    make(api, &mut chain, &proposal, deadline).await
}

/// An attempt before may have been made though nobody was there to say so.
fn is_made(wish: &Wish, chain: &Chain) -> Option<Begun> {
    let epochs = chain.epochs();
    let first = match wish {
        Wish::Join(member) => {
            epochs.iter().position(|epoch| epoch.position(&member.keys.identity_key).is_some())?
        }
        Wish::Leave(name) => epochs.iter().rposition(|epoch| epoch.named(name).is_some())?.checked_add(1)?,
    };
    let epoch = epochs.get(first)?;
    Some(Begun { epoch: epoch.number, first_height: epoch.first_height })
}
