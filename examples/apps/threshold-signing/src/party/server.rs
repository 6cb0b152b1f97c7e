use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_node::NodeError;
use quorate_node::store::{Binding, Journal};
use quorate_tls::Tls;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::crash::{CrashPoints, Point};
use super::misbehave::Misbehaviour;
use super::share_binding::bind_shares;
use super::signer::Signer;
use crate::PROTOCOL;
use crate::deal::{PublicDeal, read_sealed};
use crate::failure::{Exit, Failure, OrFail};
use crate::group::Group;
use crate::keys::Keys;
use crate::protocol::{
    MAX_REQUEST, Refusal, RefusalReason, Reply, Request, RequestKind, read_frame, write_frame,
};

/// Maximum number of connections that have not completed the TLS handshake.
const MAX_HANDSHAKES: usize = 64;
/// Time limit for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of connections of one requester.
const MAX_CONNECTIONS: usize = 16;
/// Time after which an idle connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum number of requests that wait for the signer. When it is reached, connections are not read.
const MAX_QUEUED: usize = 64;

/// Configuration of a party.
pub struct PartyConfig {
    /// Group.
    pub group: Group,
    /// Keys of the party.
    pub keys: Keys,
    /// Public deal.
    pub public: PublicDeal,
    /// Path of the sealed shares.
    pub shares: PathBuf,
    /// Data directory with the journal.
    pub data: PathBuf,
    /// Address to listen at; `None` for the party's address in the group file.
    pub listen: Option<String>,
    /// Reserves presignatures in blocks.
    pub reserve: bool,
    /// Misbehaviour on purpose.
    pub misbehaviour: Option<Misbehaviour>,
}

/// A party with a bound listener.
pub struct Party {
    listener: TcpListener,
    context: Arc<Context>,
    signer: JoinHandle<Option<String>>,
    ended: oneshot::Receiver<()>,
    me: MemberIndex,
    next: u32,
}

struct Context {
    tls: Tls,
    public: Arc<PublicDeal>,
    jobs: mpsc::Sender<Job>,
    handshakes: Arc<Semaphore>,
    requesters: Vec<Arc<Semaphore>>,
    misbehaviour: Option<Misbehaviour>,
    points: CrashPoints,
}

struct Job {
    kind: RequestKind,
    answer: oneshot::Sender<Reply>,
}

impl Party {
    /// Opens the shares and the journal, closes all earlier epochs, and binds the listener. Requests are answered
    /// once [`serve`](Party::serve) runs.
    ///
    /// # Errors
    /// If a file cannot be used, another process has the journal open, or the address is in use.
    pub async fn start(settings: PartyConfig) -> Result<Self, Failure> {
        let PartyConfig { group, keys, public, shares, data, listen, reserve, misbehaviour } = settings;
        public.require(&group)?;
        let identity = keys.identity()?;
        let me = group.committee.position(&Ed25519::public_key(&identity)).ok_or_else(|| {
            Failure::setup(format!("the keys of {} do not belong to a party of the group file", keys.name()))
        })?;
        let requester_keys = group.requester_keys.clone().ok_or_else(|| {
            Failure::setup("the group file has no [[requester]], so no request could be accepted; add one")
        })?;
        let presignatures = public.open(keys.sealing()?, me, &read_sealed(&shares)?).or_fail(
            Exit::Setup,
            format!("share file {} with deal and keys of {}", shares.display(), keys.name()),
        )?;
        let points = || CrashPoints::from_environment().map_err(Failure::setup);

        let chain = group.committee.chain();
        let binding = Binding::new::<Ed25519>(
            group.committee.id().0,
            &Ed25519::public_key(&identity),
            &Ed25519::public_key(&identity),
        );
        let mut journal = Journal::open(&data, &binding)?;
        bind_shares(&shares, journal.id())?;
        let mut guard = Guard::<Ed25519>::restore(keys.identity()?, chain, journal.load()?)
            .or_fail(Exit::Setup, format!("data directory {}", data.display()))?;
        if let Some(before) = public.deal.epoch().checked_sub(1).filter(|epoch| *epoch > 0) {
            let closed = guard.close_epoch(&public.key.id().0, before);
            journal.append(&[closed])?;
            journal.keep_only(guard.records())?;
        }
        let public = Arc::new(public);
        let mut signer =
            Signer::new(public.clone(), presignatures, guard, keys.identity()?, Box::new(journal), reserve)?;
        (signer.points, signer.misbehaviour) = (points()?, misbehaviour);

        let address = group.parties.get(usize::from(me)).map(|party| party.address.clone());
        let address = listen.or(address).unwrap_or_default();
        let listener = TcpListener::bind(&address).await;
        let listener = listener.map_err(|source| NodeError::Bind { address, source })?;
        let (jobs, work) = mpsc::channel(MAX_QUEUED);
        let (end, ended) = oneshot::channel();
        let context = Arc::new(Context {
            tls: Tls::new(identity, &requester_keys, PROTOCOL).map_err(NodeError::from)?,
            public,
            jobs,
            handshakes: Arc::new(Semaphore::new(MAX_HANDSHAKES)),
            requesters: group.requesters.iter().map(|_| Arc::new(Semaphore::new(MAX_CONNECTIONS))).collect(),
            misbehaviour,
            points: points()?,
        });
        let next = signer.next();
        let signer = std::thread::Builder::new()
            .name("signer".into())
            .spawn(move || {
                let failure = run(signer, work);
                // The receiver is dropped if `serve` has returned.
                let _ = end.send(());
                failure
            })
            .or_fail(Exit::Failed, "starting a thread")?;
        Ok(Self { listener, context, signer, ended, me, next })
    }

    /// Returns the index of the party.
    pub fn member(&self) -> MemberIndex {
        self.me
    }

    /// Returns the number of unused presignatures.
    pub fn left(&self) -> u32 {
        self.context.public.count().saturating_sub(self.next)
    }

    /// Returns the address of the listener.
    pub fn address(&self) -> String {
        self.listener.local_addr().map_or_else(|_| "?".into(), |address| address.to_string())
    }

    /// Answers requests until `stop` completes or the disk fails.
    ///
    /// # Errors
    /// If the disk fails.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), Failure> {
        let Self { listener, context, signer, mut ended, .. } = self;
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => return Ok(()),
                _ = &mut ended => {
                    // A panic has already been reported on standard error.
                    let why = signer.join().ok().flatten().unwrap_or_else(|| "the signer ended".into());
                    return Err(Failure::failed(format!("the party cannot sign: {why}")));
                }
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => spawn_connection(&context, stream),
                    // Too many open files: connections that end free some.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
    }
}

/// Serves a connection in its own task, or drops it if too many handshakes are in progress.
fn spawn_connection(context: &Arc<Context>, stream: TcpStream) {
    let Ok(handshake) = context.handshakes.clone().try_acquire_owned() else { return };
    let context = context.clone();
    tokio::spawn(async move {
        // Connection errors are not reported here: the requester reports them.
        let _ = connection(&context, stream, handshake).await;
    });
}

async fn connection(
    context: &Context,
    stream: TcpStream,
    handshake: OwnedSemaphorePermit,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let Ok(stream) = timeout(HANDSHAKE_TIMEOUT, context.tls.acceptor().accept(stream)).await else {
        return Ok(());
    };
    let mut stream: TlsStream<TcpStream> = stream?;
    let proved = context.tls.member(stream.get_ref().1.peer_certificates());
    let room = proved.and_then(|requester| context.requesters.get(usize::from(requester)).cloned());
    let Some(Ok(_room)) = room.map(Semaphore::try_acquire_owned) else { return Ok(()) };
    drop(handshake);
    while let Some(frame) = read_frame(&mut stream, MAX_REQUEST, IDLE_TIMEOUT).await? {
        let (reply, readable) = match Request::decode(&frame, &()) {
            Ok(request) => (answer(context, request).await, true),
            Err(_) => (Some(refused(RefusalReason::Malformed)), false),
        };
        // `None` if the signer has ended.
        let Some(reply) = reply else { return Ok(()) };
        let is_share = matches!(reply, Reply::Share(_));
        let bytes = match context.misbehaviour {
            Some(misbehaviour) => misbehaviour.reply(reply).await,
            None => Some(reply.encode()),
        };
        if let Some(bytes) = bytes {
            write_frame(&mut stream, &bytes).await?;
        }
        if is_share {
            context.points.reach(Point::Sent);
        }
        if !readable {
            return Ok(());
        }
    }
    Ok(())
}

async fn answer(context: &Context, request: Request) -> Option<Reply> {
    if request.deal != context.public.deal.id() {
        return Some(refused(RefusalReason::WrongDeal));
    }
    let (answer, answered) = oneshot::channel();
    context.jobs.send(Job { kind: request.kind, answer }).await.ok()?;
    answered.await.ok()
}

fn refused(reason: RefusalReason) -> Reply {
    Reply::Refused(Refusal { reason, next: 0 })
}

/// Runs the signer's thread. Returns when the server is dropped, or with the reason why the disk failed.
fn run(mut signer: Signer, mut jobs: mpsc::Receiver<Job>) -> Option<String> {
    while let Some(first) = jobs.blocking_recv() {
        let mut batch = vec![first];
        while let Ok(job) = jobs.try_recv() {
            batch.push(job);
        }
        let (mut requests, mut waiting) = (Vec::new(), Vec::new());
        for Job { kind, answer } in batch {
            // The connection may have been closed.
            let _ = match kind {
                RequestKind::Sign { index, message } => {
                    requests.push((index, message));
                    waiting.push(answer);
                    continue;
                }
                RequestKind::Status => {
                    let count = signer.count();
                    answer.send(Reply::Status { next: signer.next(), count })
                }
                RequestKind::Open { index, message } => answer.send(match signer.open(index, &message) {
                    Ok(opening) => Reply::Opening(Box::new(opening)),
                    Err(refusal) => Reply::Refused(refusal),
                }),
            };
        }
        for (share, answer) in signer.sign(&requests).into_iter().zip(waiting) {
            let _ = answer.send(share.map_or_else(Reply::Refused, Reply::Share));
        }
        if let Some(why) = signer.failed() {
            return Some(why.to_owned());
        }
    }
    None
}
