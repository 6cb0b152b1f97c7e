use std::sync::Arc;

use quorate::committee::ChainId;
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};

use crate::application::{Application, Checker};
use crate::config::NodeConfig;
use crate::epochs::{Epoch, NextEpoch};
use crate::execution::Executor;
use crate::genesis::{Committees, Genesis};
use crate::keys::NodeKeys;
use crate::links::FormerMember;
use crate::protocol::{Executed, MachineSetup, Protocol};
use crate::store::{Binding, Store};
use crate::{NodeError, Result};

/// Of how many heights the states are handed over at a start: as many as a block may lag behind.
const RECENT: u64 = 512;
/// How many of those who left may still ask; the last ones.
const FORMER_MEMBERS: usize = 256;

/// What a node stands on, whatever epoch it is in.
pub(super) struct NodeContext<P: Protocol> {
    pub(super) config: NodeConfig,
    pub(super) genesis: Arc<Genesis>,
    pub(super) chain: ChainId,
    pub(super) store: Arc<Store<P>>,
    keys: NodeKeys,
}

/// An epoch that a node begins or comes back to: all that is read before anything runs.
pub(super) struct EpochContext<P: Protocol> {
    pub(super) epoch: Arc<Epoch>,
    pub(super) committees: Committees<P::Scheme>,
    /// `None` for who looks on.
    pub(super) me: Option<MemberIndex>,
    pub(super) former_members: Vec<FormerMember>,
    pub(super) executor: Executor<P>,
    pub(super) machine: P::Machine,
}

impl<P: Protocol> NodeContext<P> {
    /// Reads genesis, keys and what is durable.
    pub(super) fn open(
        config: NodeConfig,
        genesis: Genesis,
        application: Box<dyn Application>,
    ) -> Result<(Self, EpochContext<P>, Arc<dyn Checker>)> {
        let committees = genesis.committees::<P::Scheme>()?;
        let keys = NodeKeys::load(&config.node.keys)?;
        let (identity, voting) = (keys.identity()?, keys.voting::<P::Scheme>()?);
        if !P::HAS_EPOCHS || !config.node.observe {
            // A data directory is made for nobody who has no use for it.
            let first = Epoch::genesis(&genesis);
            if member::<P::Scheme>(&first, &identity, &voting)?.is_none() && !config.node.data.exists() {
                return Err(stranger(&identity));
            }
        }
        let (voter, owner) = (P::Scheme::public_key(&voting), Ed25519::public_key(&identity));
        let binding =
            Binding::new::<P::Scheme>(committees.chain.0, &voter, &owner).with(genesis.protocol.clone());
        let store = Arc::new(Store::open(&config.node.data, &binding, P::context(&committees))?);
        let chain = committees.chain;
        for epoch in store.epochs()? {
            P::add_epoch(store.context(), &committees_of::<P>(&epoch, chain)?);
        }
        let checker = application.checker();
        let executor = Executor::open(store.clone(), application)?;
        let base = Self { config, genesis: Arc::new(genesis), chain, store, keys };
        let term = base.enter(executor)?;
        Ok((base, term, checker))
    }

    /// The next epoch, which is durable before anything is done in it. If execution is not where it begins (it was
    /// learnt from records whose blocks wait to be delivered), the old one is entered once more.
    pub(super) fn follow(&self, successor: &NextEpoch, executor: Executor<P>) -> Result<EpochContext<P>> {
        let last = self.epochs()?.pop().ok_or_else(|| NodeError::corrupt("the store", "no epoch"))?;
        if successor.number > last.number {
            let next = last.next(successor);
            P::add_epoch(self.store.context(), &committees_of::<P>(&next, self.chain)?);
            self.store.append_epoch(&next)?;
            let (epoch, height, members) = (next.number, next.first_height(), next.members.len());
            tracing::info!(epoch, height, members, "the members change");
        }
        self.enter(executor)
    }

    /// The last epoch whose first block may be executed next, with the machine as of what is in the store.
    pub(super) fn enter(&self, executor: Executor<P>) -> Result<EpochContext<P>> {
        let mut epochs = self.epochs()?;
        let executed = executor.executed();
        while epochs.last().is_some_and(|epoch| epoch.first_height() > executed.height + 1) {
            epochs.pop();
        }
        let epoch = epochs.pop().ok_or_else(|| NodeError::corrupt("the store", "no epoch"))?;
        let me = self.role(&epoch, &epochs)?;
        let committees = committees_of::<P>(&epoch, self.chain)?;
        let setup = MachineSetup {
            committees: &committees,
            me,
            anchor: epoch.anchor,
            keys: &self.keys,
            genesis: &self.genesis,
            genesis_root: executor.genesis_root(),
            executed,
            recent: self.recent(executed.height)?,
            first_sequence: self.store.first_sequence(),
        };
        let machine = P::machine(setup, &*self.store)?;
        let former_members = former_members(&epoch, &epochs);
        Ok(EpochContext { epoch: Arc::new(epoch), committees, me, former_members, executor, machine })
    }

    /// The key that links are pinned to.
    pub(super) fn identity(&self) -> Result<ed25519::SecretKey> {
        self.keys.identity()
    }

    fn epochs(&self) -> Result<Vec<Epoch>> {
        let mut epochs = vec![Epoch::genesis(&self.genesis)];
        epochs.extend(self.store.epochs()?);
        Ok(epochs)
    }

    /// Whose keys these are; `None` for who may look on.
    fn role(&self, epoch: &Epoch, earlier: &[Epoch]) -> Result<Option<MemberIndex>> {
        let (identity, voting) = (self.keys.identity()?, self.keys.voting::<P::Scheme>()?);
        let me = member::<P::Scheme>(epoch, &identity, &voting)?;
        let key = Ed25519::public_key(&identity).encode();
        if me.is_none() && earlier.iter().any(|epoch| epoch.position(&key).is_some()) {
            return Err(NodeError::Left { epoch: epoch.number, first_height: epoch.first_height() });
        }
        if me.is_none() && !(P::HAS_EPOCHS && self.config.node.observe) {
            return Err(stranger(&identity));
        }
        Ok(me)
    }

    /// The states of the last heights, which other members' blocks may name.
    fn recent(&self, executed: u64) -> Result<Vec<Executed>> {
        let mut recent = Vec::new();
        for height in executed.saturating_sub(RECENT)..=executed {
            let roots = self.store.state().roots(height)?;
            recent.extend(roots.map(|roots| Executed { height, state_root: roots.execution }));
        }
        Ok(recent)
    }
}

fn committees_of<P: Protocol>(epoch: &Epoch, chain: ChainId) -> Result<Committees<P::Scheme>> {
    epoch.committees(chain).map_err(|e| NodeError::corrupt("an epoch", e))
}

fn stranger(identity: &ed25519::SecretKey) -> NodeError {
    NodeError::NotAMember { identity: hex::encode(Ed25519::public_key(identity).as_bytes()) }
}

/// Whose keys these are.
fn member<S: Scheme>(
    epoch: &Epoch,
    identity: &ed25519::SecretKey,
    voting: &S::SecretKey,
) -> Result<Option<MemberIndex>> {
    let Some(me) = epoch.position(&Ed25519::public_key(identity).encode()) else { return Ok(None) };
    let known = epoch.members.get(usize::from(me)).map(|member| &member.voting_key.0);
    if known != Some(&S::public_key(voting).encode()) {
        return Err(NodeError::Genesis {
            path: None,
            problem: format!(
                "member {me} has this node's identity key but another voting key; check that key file and genesis \
                 file belong together"
            ),
        });
    }
    Ok(Some(me))
}

/// Who was a member in an earlier epoch and is none in this one: those who left last.
fn former_members(epoch: &Epoch, earlier: &[Epoch]) -> Vec<FormerMember> {
    let mut former_members: Vec<FormerMember> = Vec::new();
    for member in earlier.iter().rev().flat_map(|epoch| &epoch.members) {
        let Ok(identity) = ed25519::PublicKey::decode(&member.identity_key.0, &()) else { continue };
        let known = former_members.iter().any(|former_member| former_member.identity == identity);
        if former_members.len() < FORMER_MEMBERS && !known && epoch.position(&member.identity_key.0).is_none()
        {
            former_members.push(FormerMember {
                identity,
                name: member.name.clone(),
                address: member.address.clone(),
            });
        }
    }
    former_members
}
