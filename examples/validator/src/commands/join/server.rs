//! The servers of a download, and the snapshot that most of them offer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate::wire::Decode;
use quorate_node::application::{Application, Ledger, State};
use quorate_node::epochs::Epoch;
use quorate_node::genesis::Genesis;
use quorate_node::protocol::Protocol;
use quorate_node::snapshot::{MAX_PIECE_BYTES, SnapshotHead, SnapshotView, VerifiedHead};
use quorate_node::store::Handover;
use quorate_support::errln;

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::api::{Api, PieceError};
use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::responses::ServedEpoch;

/// Pause between two questions whether a snapshot is prepared.
const PREPARING_PAUSE: Duration = Duration::from_secs(1);
/// Time for the other servers to answer once one has a snapshot.
const GRACE: Duration = Duration::from_secs(10);
/// Number of these questions: the preparation reads the whole state.
const PREPARING_LIMIT: usize = 1800;

/// Number of snapshots that a server may release while they are fetched.
const MAX_RELEASED: usize = 3;

/// The failure if servers do that too often.
pub(super) const RELEASED: &str = "the validators release their snapshots faster than they are fetched";

/// A server.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) api: Api,
    /// Why it is not asked any more.
    pub(super) problem: Option<String>,
    /// True if it sent something that does not verify.
    pub(super) has_lied: bool,
    /// True if it offers the chosen snapshot, and has not released it.
    pub(super) offers: bool,
    /// Number of snapshots that it offered and released.
    released: usize,
}

/// A verified snapshot.
pub(super) struct Offer<P: Protocol> {
    pub(super) head: Arc<VerifiedHead>,
    pub(super) context: P::Context,
    chain: Chain,
    served: Vec<ServedEpoch>,
}

impl Server {
    pub(super) fn new(api: Api) -> Self {
        Self { api, problem: None, has_lied: false, offers: false, released: 0 }
    }

    /// Excludes the server.
    pub(super) fn exclude(&mut self, error: &PieceError) {
        self.has_lied |= matches!(error, PieceError::Wrong(_));
        self.offers = false;
        if let PieceError::Gone = error {
            self.released += 1;
            // A server that offers what it does not have would keep the others from being asked.
            if self.released < MAX_RELEASED {
                return;
            }
        }
        errln!("{} is not asked again: {error}", self.api.address());
        self.problem = Some(error.to_string());
    }
}

impl<P: Protocol> Offer<P> {
    /// Asks all servers for their newest snapshot, verifies its head, and chooses the one that most of them offer; of those the
    /// newest.
    pub(super) async fn choose(genesis: &Genesis, servers: &mut [Server]) -> Result<Self, Failure> {
        let mut offers: BTreeMap<[u8; 32], (usize, u64, Self)> = BTreeMap::new();
        let mut of_server = vec![None; servers.len()];
        let (mut has_none, mut grace) = (false, None);
        let mut asked = JoinSet::new();
        for (index, server) in servers.iter_mut().enumerate() {
            server.offers = false;
            if server.problem.is_none() {
                let (genesis, api) = (genesis.clone(), server.api.clone());
                asked.spawn(async move { (index, Self::fetch(&genesis, &api).await) });
            }
        }
        loop {
            // A server that never ends its preparation must not stop the others.
            let answer = match grace {
                None => asked.join_next().await,
                Some(end) => timeout_at(end, asked.join_next()).await.unwrap_or(None),
            };
            let Some(answer) = answer else { break };
            let (index, found) = answer.or_fail(Exit::Failed, "cannot ask a server")?;
            let Some(server) = servers.get_mut(index) else { continue };
            match found {
                Ok(offer) => {
                    let target = offer.head.target();
                    let (id, height) = (target.id, target.height);
                    offers.entry(id).or_insert((0, height, offer)).0 += 1;
                    if let Some(offered) = of_server.get_mut(index) {
                        *offered = Some(id);
                    }
                    grace.get_or_insert(Instant::now() + GRACE);
                }
                Err(PieceError::Missing | PieceError::Gone) => has_none = true,
                Err(error) => server.exclude(&error),
            }
        }
        let best = offers.iter().max_by_key(|(_, (servers, height, _))| (*servers, *height));
        let best = best.map(|(id, _)| *id).and_then(|id| offers.remove(&id).map(|offer| (id, offer.2)));
        let Some((id, offer)) = best else { return Err(no_snapshot(servers, has_none)) };
        for (server, offered) in servers.iter_mut().zip(of_server) {
            server.offers = offered == Some(id);
        }
        let count = servers.iter().filter(|server| server.offers).count();
        errln!(
            "{count} of {} servers offer the state after height {}",
            servers.len(),
            offer.head.target().height
        );
        Ok(offer)
    }

    async fn fetch(genesis: &Genesis, api: &Api) -> Result<Self, PieceError> {
        let wrong = |failure: Failure| match failure.exit() {
            Exit::Unreachable => PieceError::Failed(failure.to_string()),
            _ => PieceError::Wrong(failure.to_string()),
        };
        let view = newest(api).await?;
        let mut chain = Chain::new(genesis.clone()).map_err(wrong)?;
        let served = chain.update(api).await.map_err(wrong)?;
        let context = chain.context::<P>().map_err(wrong)?;
        let bytes = api.piece(&format!("/v1/snapshot/{}/head", view.height), MAX_PIECE_BYTES).await?;
        let (decoding, genesis_root) = (context.clone(), genesis_root().map_err(wrong)?);
        let chain_id = genesis.chain_id().0;
        let verify = move || {
            let head = SnapshotHead::<P>::decode(&bytes, &decoding)?;
            head.verify(&decoding, &chain_id, &genesis_root, &*Ledger::default().parts())
        };
        let verified = tokio::task::spawn_blocking(verify).await;
        let head = verified.map_err(|e| PieceError::Failed(e.to_string()))?;
        let head = head.map_err(|e| PieceError::Wrong(format!("the head of its snapshot: {e}")))?;
        if head.target().height != view.height {
            return Err(PieceError::Wrong("the head of its snapshot is of another height".into()));
        }
        Ok(Self { head: Arc::new(head), context, chain, served })
    }

    /// The epochs after the genesis up to that of the block after a height, with the proofs of their anchors.
    pub(super) fn epochs(&self, height: u64) -> Vec<(Epoch, Handover)> {
        let later = self.chain.epochs().iter().skip(1);
        let needed = later.filter(|epoch| epoch.first_height <= height.saturating_add(1));
        let with_proof = needed.filter_map(|epoch| {
            let served = self.served.iter().find(|served| served.epoch == epoch.number)?;
            let part = |part: &Option<quorate_node::genesis::Hex>| part.clone().map(|hex| hex.0);
            let handover = Handover {
                block: part(&served.block)?,
                finality: part(&served.finality)?,
                batch: part(&served.payload)?,
            };
            Some((epoch.to_node_epoch(), handover))
        });
        with_proof.collect()
    }
}

/// The newest snapshot of a server, once it is prepared.
async fn newest(api: &Api) -> Result<SnapshotView, PieceError> {
    for attempt in 0..PREPARING_LIMIT {
        match api.piece("/v1/snapshot", 1 << 16).await {
            Ok(body) => {
                return serde_json::from_slice(&body)
                    .map_err(|e| PieceError::Wrong(format!("its description of the snapshot: {e}")));
            }
            Err(PieceError::Preparing) => {
                if attempt == 0 {
                    errln!("{} prepares its snapshot", api.address());
                }
                tokio::time::sleep(PREPARING_PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
    Err(PieceError::Failed("it prepares its snapshot for too long".into()))
}

/// The failure if no server has a snapshot that verifies.
pub(super) fn no_snapshot(servers: &[Server], has_none: bool) -> Failure {
    if servers.iter().any(|server| server.has_lied) && !has_none {
        return Failure::new(
            Exit::BadProof,
            "every server with a snapshot sent a wrong piece; name other validators",
        );
    }
    if has_none {
        let text = "no server has a snapshot: the chain is shorter than the interval between two (archive.snapshot_every), the \
                    servers have started since, or make none; start the validator with `quorate run`, and it executes the blocks \
                    of its peers";
        return Failure::new(Exit::NotFound, text);
    }
    if servers.iter().any(|server| server.released >= MAX_RELEASED) {
        return Failure::new(Exit::Failed, RELEASED);
    }
    Failure::new(Exit::Unreachable, "no server is left that answers; name other validators")
}

/// The application's root before block 1.
fn genesis_root() -> Result<[u8; 32], Failure> {
    Ledger::default().restore(State::empty(), 0).or_fail(Exit::Failed, "cannot start the application")
}
