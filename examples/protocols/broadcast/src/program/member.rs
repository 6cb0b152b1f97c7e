//! A running member: links, store, the machine's thread and the background thread.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use quorate::ed25519;
use quorate::machine::MemberIndex;
use quorate_broadcast::{Broadcaster, Command, Config, Status, Work};
use quorate_node::NodeError;
use quorate_node::config::LinkConfig;
use quorate_node::links::{Limits, LinkEvent, LinkSender, Links, Received, Settings, Sink};
use quorate_node::metrics::Metrics;

use crate::driver::{Driver, Timers};
use crate::event::Event;
use crate::evidence::Evidence;
use crate::group::Group;
use crate::inbox::Inbox;
use crate::signer::Make;
use crate::store::Store;

/// Identity of a member.
pub(crate) struct Identity<'a> {
    /// Two copies of the key: one for the links, one for the signatures.
    pub(crate) keys: [ed25519::SecretKey; 2],
    /// Listen address; if empty, the port of the member's address in the group file, on all interfaces.
    pub(crate) listen: String,
    /// Data directory; `None` for measurements without a disk.
    pub(crate) data: Option<&'a Path>,
}

/// A running member.
pub(crate) struct Member<A: Make> {
    inbox: Arc<Inbox<A>>,
    links: Links,
    status: Arc<Mutex<Status>>,
    threads: Vec<JoinHandle<()>>,
}

struct Mailbox<A: Make> {
    inbox: Arc<Inbox<A>>,
    me: String,
}

impl<A: Make> Member<A> {
    /// Starts a member. Must be called within a tokio runtime.
    pub(crate) async fn start(
        group: &Group,
        identity: Identity<'_>,
        tell: impl FnMut(Event) + Send + 'static,
    ) -> Result<Self, NodeError> {
        let Identity { keys: [for_links, for_signatures], listen, data } = identity;
        let me = group.position(&for_links)?;
        let parameters = group.group_parameters.parameters();
        let limits = quorate_broadcast::limits::<A>(&group.committee, &parameters);
        let evidence = data.map(|dir| Evidence::new(dir, group.group_parameters.clone()));
        let (store, records) = match data {
            Some(dir) => {
                let store = Store::open(dir, &binding(group, me), parameters.tail.into())?;
                let records = store.load(&limits)?;
                (Some(store), records)
            }
            None => (None, Vec::new()),
        };
        let authentication = A::make(group.committee.clone(), for_signatures)?;
        let config = Config { group: group.committee.clone(), me, authentication, parameters };
        let machine = Broadcaster::new(config, records)?;

        let inbox = Arc::new(Inbox::new(group.committee.len()));
        let settings = Settings {
            config: LinkConfig { listen, max_backoff_ms: 1_000, ..LinkConfig::default() },
            limits: Limits {
                urgent_frame: limits.message + 2 * A::SIGNATURE_LEN + 256,
                bulk_frame: limits.announcement + 256,
                inbound_urgent: 1 << 20,
                inbound_bulk: 1 << 18,
                ..Limits::default()
            },
            chain: group.chain,
            me: Some(me),
            identity: for_links,
            identities: group.committee.clone(),
            members: group.addresses(),
            former_members: Vec::new(),
            metrics: Metrics::new().links,
        };
        let mailbox = Mailbox { inbox: inbox.clone(), me: group.name(me).to_owned() };
        let links = Links::start(settings, Arc::new(mailbox)).await?;
        // The machine limits the work in progress.
        let (background, work) = mpsc::channel::<Work<A>>();
        let status = Arc::new(Mutex::new(Status::default()));
        let driver = Driver {
            machine,
            inbox: inbox.clone(),
            store,
            evidence,
            links: links.sender(),
            background,
            status: status.clone(),
            tell: Box::new(tell),
            timers: Timers::default(),
            logged: BTreeMap::new(),
        };
        let done = inbox.clone();
        let threads = vec![
            spawn(format!("machine {me}"), move || driver.run())?,
            spawn(format!("background {me}"), move || {
                // Ends with the machine, which holds the sender.
                work.into_iter().for_each(|work| done.command(Command::Done(work.run())));
            })?,
        ];
        Ok(Self { inbox, links, status, threads })
    }

    /// Broadcasts a message as soon as a slot and a key are available.
    pub(crate) fn broadcast(&self, message: Arc<[u8]>) {
        self.inbox.command(Command::Broadcast(message));
    }

    /// Returns the number of own messages that wait for a slot or a key. Callers pause at a few hundred.
    pub(crate) fn backlog(&self) -> usize {
        self.inbox.commands() + self.status().waiting
    }

    /// Returns the sending half of the links.
    pub(crate) fn links(&self) -> LinkSender {
        self.links.sender()
    }

    /// Returns `true` if all links are connected in both directions.
    pub(crate) fn is_connected(&self) -> bool {
        self.links().status().iter().all(|peer| peer.outgoing && peer.incoming)
    }

    /// Returns a summary of the state.
    pub(crate) fn status(&self) -> Status {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the member. Work in progress may be lost, as in a crash.
    pub(crate) async fn stop(self) {
        self.inbox.end();
        let threads = self.threads;
        // A panic has already been reported.
        let join = move || threads.into_iter().for_each(|thread| drop(thread.join()));
        let _ = tokio::task::spawn_blocking(join).await;
        self.links.shutdown().await;
    }
}

impl<A: Make> Sink for Mailbox<A> {
    fn frame(&self, received: Received) {
        self.inbox.frame(received);
    }

    fn event(&self, event: LinkEvent) {
        match event {
            LinkEvent::SameIdentity { address } => self.inbox.twin(address),
            event => tracing::debug!(member = self.me, ?event, "link"),
        }
    }
}

/// Identifies the owner of the records.
fn binding(group: &Group, me: MemberIndex) -> String {
    let key = group.committee.key(me).map(|key| hex::encode(key.as_bytes())).unwrap_or_default();
    format!("group {} member {key}", hex::encode(group.chain.0))
}

fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, NodeError> {
    let spawned = thread::Builder::new().name(name).spawn(work);
    spawned.map_err(|source| NodeError::Io { during: "starting a thread", path: None, source })
}
