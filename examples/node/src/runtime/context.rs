use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use quorate::committee::ChainId;
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use zeroize::Zeroizing;

use crate::application::{Application, Checker};
use crate::config::{NodeConfig, Places};
use crate::epochs::{Epoch, NextEpoch};
use crate::execution::Executor;
use crate::genesis::{Committees, Genesis};
use crate::keys::{NodeKeys, load_shares};
use crate::links::FormerMember;
use crate::protocol::{
    Executed, MachineSetup, PresignatureFiles, Protocol, SigningHistory, presignature_directory,
};
use crate::store::files::create_dir;
use crate::store::{
    Binding, SignatureCounters, SpentJournal, Store, StoreOptions, check_first_start, end_first_start,
    is_joined,
};
use crate::{NodeError, Result};

/// Number of recent states passed to a starting replica: the maximum lag of the state in a block.
const RECENT_STATES: u64 = 512;
/// Maximum number of former members that may connect; the most recent ones.
const FORMER_MEMBERS: usize = 256;

/// State of a node that does not depend on the epoch: configuration, genesis, keys and store.
pub(super) struct NodeContext<P: Protocol> {
    pub(super) config: NodeConfig,
    pub(super) genesis: Arc<Genesis>,
    pub(super) chain: ChainId,
    pub(super) store: Arc<Store<P>>,
    /// Counters outside the data directory.
    pub(super) counters: Option<Arc<Mutex<SignatureCounters>>>,
    /// The presignatures and the journal of those that are spent, outside the data directory.
    pub(super) presignatures: Option<OpenPresignatures>,
    keys: NodeKeys,
    /// That of the keys, or with a signer the one that it holds.
    voting_key: <P::Scheme as Scheme>::PublicKey,
    /// Empty for protocols without a dealer.
    shares: Zeroizing<Vec<u8>>,
}

/// The directory of a validator's presignatures.
pub(super) struct OpenPresignatures {
    directory: PathBuf,
    pub(super) journal: Arc<Mutex<SpentJournal>>,
}

/// An epoch that the node enters, with everything that is read from the store before its threads start.
pub(super) struct EpochContext<P: Protocol> {
    pub(super) epoch: Arc<Epoch>,
    pub(super) committees: Committees<P::Scheme>,
    /// `None` for an observer.
    pub(super) me: Option<MemberIndex>,
    pub(super) former_members: Vec<FormerMember>,
    pub(super) executor: Executor<P>,
    pub(super) machine: P::Machine,
}

impl<P: Protocol> NodeContext<P> {
    /// Reads the keys and opens the store.
    pub(super) fn open(
        config: NodeConfig,
        genesis: Genesis,
        application: Box<dyn Application>,
    ) -> Result<(Self, EpochContext<P>, Arc<dyn Checker>)> {
        let committees = genesis.committees::<P::Scheme>()?;
        let keys = NodeKeys::load(&config.node.keys, config.node.password.as_deref())?;
        let shares = match &config.node.shares {
            Some(path) if P::HAS_DEALER => load_shares(path)?,
            None if P::HAS_DEALER => return Err(no_shares(P::NAME)),
            _ => Zeroizing::default(),
        };
        match &config.node.counter {
            Some(_) if !P::ABSTAINS => return Err(no_counter(P::NAME)),
            Some(path) if is_inside(path, &config.node.data) => return Err(counter_in_data()),
            _ => {}
        }
        let identity = keys.identity()?;
        let voting_key = voting_key::<P>(&config, &committees, &keys)?;
        let is_founder = member::<P::Scheme>(&Epoch::genesis(&genesis), &identity, &voting_key)?.is_some();
        if is_founder {
            check_first_start(&config.node.data, config.node.new_validator)?;
        } else if !(config.node.data.exists() || P::HAS_EPOCHS && config.node.observe) {
            // Do not create a data directory for keys that cannot take part.
            return Err(not_a_member(&identity));
        }
        let binding = bind::<P>(&genesis, &committees, &identity, &voting_key);
        // Before the data directory exists: a first start that is refused does not count as one.
        let presignatures = match &config.node.shares {
            Some(shares) if P::presigns(&genesis) => {
                Some(OpenPresignatures::open(shares, &config.node, &binding)?)
            }
            _ => None,
        };
        let archive = &config.archive;
        let file_bytes = archive.prune_file_bytes.unwrap_or(StoreOptions::default().file_bytes);
        let options = StoreOptions {
            file_bytes,
            prunes: archive.prune.is_some(),
            snapshot_every: archive.snapshot_every,
        };
        let context = P::context(&committees);
        let store = Arc::new(Store::open_with(&config.node.data, &binding, context, options)?);
        // The operator says that the key has not signed. Where a replica can abstain, it does so nevertheless.
        let is_first = config.node.new_validator && !is_joined(&config.node.data);
        end_first_start(&config.node.data)?;
        let counters = match &config.node.counter {
            Some(path) => Some(SignatureCounters::open(path, &binding)?),
            None => None,
        };
        let (counters, has_counted) = counters.unzip();
        let counters = counters.map(|counters| Arc::new(Mutex::new(counters)));
        let chain = committees.chain;
        for epoch in store.epochs()? {
            P::add_epoch(store.context(), &committees_of::<P>(&epoch, chain)?);
        }
        let checker = application.checker();
        let executor = Executor::open(store.clone(), application)?;
        let genesis = Arc::new(genesis);
        let context =
            Self { config, genesis, chain, store, counters, presignatures, keys, voting_key, shares };
        let epoch = context.enter(executor, context.history(has_counted, is_first)?)?;
        Ok((context, epoch, checker))
    }

    /// Returns what is known about the signatures of the keys at a start. `has_counted` is true if the counters show anything
    /// about earlier signatures; `is_complete` is true if the records are known to be complete without them.
    fn history(&self, has_counted: Option<bool>, is_complete: bool) -> Result<SigningHistory> {
        match &self.counters {
            Some(counters) if has_counted == Some(true) => {
                counters.lock().unwrap_or_else(PoisonError::into_inner).history()
            }
            _ if is_complete => Ok(SigningHistory::Complete),
            Some(_) => {
                tracing::warn!(
                    code = "NEW_COUNTER",
                    "the counters of signatures are new, so they show nothing about earlier ones"
                );
                Ok(SigningHistory::Unconfirmed)
            }
            None => Ok(SigningHistory::Unconfirmed),
        }
    }

    /// Makes the next epoch durable and enters it. `abstained` is true if the replica of the epoch that ended abstained.
    ///
    /// If execution has not reached the first block of the next epoch (the replica learnt of the epoch from records whose
    /// blocks are not delivered yet), enters the current epoch again.
    pub(super) fn advance(
        &self,
        successor: &NextEpoch,
        executor: Executor<P>,
        abstained: bool,
    ) -> Result<EpochContext<P>> {
        let last = self.epochs()?.pop().ok_or_else(|| NodeError::corrupt("the store", "no epoch"))?;
        // A replica of this process made the records, unless it had to abstain or was an observer.
        let was_member = member::<P::Scheme>(&last, &self.identity()?, &self.voting_key)?.is_some();
        let history = match was_member && !abstained {
            true => self.history(self.counters.as_ref().map(|_| true), true)?,
            false => SigningHistory::Unconfirmed,
        };
        if successor.number > last.number {
            let next = last.next(successor);
            P::add_epoch(self.store.context(), &committees_of::<P>(&next, self.chain)?);
            self.store.append_epoch(&next)?;
            let (epoch, height, members) = (next.number, next.first_height(), next.members.len());
            tracing::info!(epoch, height, members, "the committee changes");
        }
        self.enter(executor, history)
    }

    /// Enters the last epoch whose first block may be executed next, and restores the replica from the store.
    pub(super) fn enter(&self, executor: Executor<P>, history: SigningHistory) -> Result<EpochContext<P>> {
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
            signer: self.config.node.signer.as_ref(),
            shares: &self.shares,
            presignatures: match &self.presignatures {
                Some(presignatures) => Some(presignatures.files(executed.height)?),
                None => None,
            },
            genesis: &self.genesis,
            genesis_root: executor.genesis_root(),
            executed,
            recent_states: self.recent_states(executed.height)?,
            first_sequence: self.store.first_sequence(),
            history,
        };
        let machine = P::machine(setup, &*self.store)?;
        let former_members = former_members(&epoch, &epochs);
        Ok(EpochContext { epoch: Arc::new(epoch), committees, me, former_members, executor, machine })
    }

    /// The identity key.
    pub(super) fn identity(&self) -> Result<ed25519::SecretKey> {
        self.keys.identity()
    }

    fn epochs(&self) -> Result<Vec<Epoch>> {
        let mut epochs = vec![Epoch::genesis(&self.genesis)];
        epochs.extend(self.store.epochs()?);
        Ok(epochs)
    }

    /// Index of this node in an epoch; `None` for an observer.
    fn role(&self, epoch: &Epoch, earlier: &[Epoch]) -> Result<Option<MemberIndex>> {
        let identity = self.identity()?;
        let me = member::<P::Scheme>(epoch, &identity, &self.voting_key)?;
        let key = Ed25519::public_key(&identity).encode();
        if me.is_none() && earlier.iter().any(|epoch| epoch.position(&key).is_some()) {
            return Err(NodeError::Left { epoch: epoch.number, first_height: epoch.first_height() });
        }
        if me.is_none() && !(P::HAS_EPOCHS && self.config.node.observe) {
            return Err(not_a_member(&identity));
        }
        Ok(me)
    }

    /// States of recent heights, which blocks of other members may contain.
    fn recent_states(&self, executed: u64) -> Result<Vec<Executed>> {
        let mut recent = Vec::new();
        for height in executed.saturating_sub(RECENT_STATES)..=executed {
            let roots = self.store.state().roots(height)?;
            recent.extend(roots.map(|roots| Executed { height, state_root: roots.execution }));
        }
        Ok(recent)
    }
}

impl OpenPresignatures {
    /// Opens the directory beside the file of shares, or creates it.
    fn open(shares: &Path, node: &Places, binding: &Binding) -> Result<Self> {
        let directory = presignature_directory(shares);
        if is_inside(&directory, &node.data) {
            return Err(presignatures_in_data());
        }
        create_dir(&directory)?;
        let journal = SpentJournal::open(&directory, binding)?;
        if node.new_validator && !journal.load()?.is_empty() {
            return Err(not_new(&directory));
        }
        Ok(Self { directory, journal: Arc::new(Mutex::new(journal)) })
    }

    /// Returns the files at an executed height. Each executed block leaves a record in the journal: without records on a chain
    /// that has blocks the journal was lost. Nothing then shows which presignatures are spent, so all are destroyed.
    fn files(&self, height: u64) -> Result<PresignatureFiles<'_>> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let spent = journal.load()?;
        if spent.is_empty() && height > 0 {
            tracing::warn!(
                code = "NO_PRESIGNATURE_JOURNAL",
                "the journal of spent presignatures is missing, so all presignatures are destroyed; ask the dealer for new ones"
            );
            journal.destroy_all(height)?;
        }
        Ok(PresignatureFiles { directory: &self.directory, spent, destroyed: journal.destroyed()? })
    }
}

/// The binding of the data directory of a node with this configuration.
///
/// # Errors
/// Those of the keys and of the genesis at a start.
pub fn binding<P: Protocol>(config: &NodeConfig, genesis: &Genesis) -> Result<Binding> {
    let committees = genesis.committees::<P::Scheme>()?;
    let keys = NodeKeys::load(&config.node.keys, config.node.password.as_deref())?;
    let voting_key = voting_key::<P>(config, &committees, &keys)?;
    Ok(bind::<P>(genesis, &committees, &keys.identity()?, &voting_key))
}

fn bind<P: Protocol>(
    genesis: &Genesis,
    committees: &Committees<P::Scheme>,
    identity: &ed25519::SecretKey,
    voting_key: &<P::Scheme as Scheme>::PublicKey,
) -> Binding {
    let owner = Ed25519::public_key(identity);
    Binding::new::<P::Scheme>(committees.chain.0, voting_key, &owner).with(genesis.protocol.clone())
}

/// The voting key of the key file, or the one that the signer holds.
fn voting_key<P: Protocol>(
    config: &NodeConfig,
    committees: &Committees<P::Scheme>,
    keys: &NodeKeys,
) -> Result<<P::Scheme as Scheme>::PublicKey> {
    match &config.node.signer {
        Some(_) if !P::HAS_SIGNER => Err(no_signer(P::NAME)),
        Some(_) => signer_key(committees, &keys.identity()?),
        None => Ok(P::Scheme::public_key(&keys.voting::<P::Scheme>()?)),
    }
}

fn committees_of<P: Protocol>(epoch: &Epoch, chain: ChainId) -> Result<Committees<P::Scheme>> {
    epoch.committees(chain).map_err(|e| NodeError::corrupt("an epoch", e))
}

fn no_counter(protocol: &str) -> NodeError {
    let problem =
        format!("node.counter: a validator of a chain that runs {protocol} does not use one; remove it");
    NodeError::Config { path: None, problem }
}

fn counter_in_data() -> NodeError {
    let problem = "node.counter: the file is in the data directory, so it would be copied and restored with the data; \
                   choose a path on another disk";
    NodeError::Config { path: None, problem: problem.into() }
}

fn no_signer(protocol: &str) -> NodeError {
    let problem =
        format!("node.signer: a validator of a chain that runs {protocol} cannot use one; remove it");
    NodeError::Config { path: None, problem }
}

/// Returns the voting key of the member with this identity, which its signer holds.
fn signer_key<S: Scheme>(committees: &Committees<S>, identity: &ed25519::SecretKey) -> Result<S::PublicKey> {
    let me = committees.identities.position(&Ed25519::public_key(identity));
    let key = me.and_then(|me| committees.voters.key(me));
    key.cloned().ok_or_else(|| not_a_member(identity))
}

fn presignatures_in_data() -> NodeError {
    let problem = "node.shares: the directory of presignatures beside the file is in the data directory, so the journal of \
                   those that are spent would be copied and restored with the data; move the file of shares elsewhere";
    NodeError::Config { path: None, problem: problem.into() }
}

fn not_new(directory: &Path) -> NodeError {
    let problem = format!(
        "--new-validator: the keys have signed before, as the journal in {} shows; a chain whose data is lost needs new keys",
        directory.display()
    );
    NodeError::Config { path: None, problem }
}

/// Returns true if a file is in a directory or below it.
fn is_inside(path: &Path, directory: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(parent).starts_with(real(directory))
}

fn no_shares(protocol: &str) -> NodeError {
    let problem = format!(
        "node.shares: a chain that runs {protocol} needs the file with this validator's shares, which `quorate genesis \
         --shares` wrote"
    );
    NodeError::Config { path: None, problem }
}

fn not_a_member(identity: &ed25519::SecretKey) -> NodeError {
    NodeError::NotAMember { identity: hex::encode(Ed25519::public_key(identity).as_bytes()) }
}

/// Index of the member with these keys.
fn member<S: Scheme>(
    epoch: &Epoch,
    identity: &ed25519::SecretKey,
    voting: &S::PublicKey,
) -> Result<Option<MemberIndex>> {
    let Some(me) = epoch.position(&Ed25519::public_key(identity).encode()) else { return Ok(None) };
    let known = epoch.members.get(usize::from(me)).map(|member| &member.voting_key.0);
    if known != Some(&voting.encode()) {
        return Err(NodeError::Genesis {
            path: None,
            problem: format!(
                "member {me} has this node's identity key but a different voting key; check that key file and genesis \
                 file belong together"
            ),
        });
    }
    Ok(Some(me))
}

/// Members of earlier epochs that are not members of this one, most recent first.
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
