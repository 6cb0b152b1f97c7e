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
use quorate_node::links::tls::Tls;
use quorate_node::store::{Binding, Journal};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::adopt::adopt;
use super::crash::{CrashPoints, Point};
use super::misbehave::Misbehaviour;
use super::signer::Signer;
use crate::PROTOCOL;
use crate::deal::{PublicDeal, read_sealed};
use crate::failure::{Exit, Failure, OrFail};
use crate::group::Group;
use crate::keys::Keys;
use crate::protocol::{
    MAX_REQUEST, Refusal, RefusalReason, Reply, Request, RequestKind, read_frame, write_frame,
};

/// Connections that have not proved who they are.
const STRANGERS: usize = 64;
/// How long they may take to prove it.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Connections of one requester.
const CONNECTIONS: usize = 16;
/// How long one may be silent.
const IDLE: Duration = Duration::from_secs(300);
/// Requests that wait for the signer; with more, connections are not read from.
const QUEUE: usize = 64;

/// What a party needs.
pub struct PartyConfig {
    /// Its group.
    pub group: Group,
    /// Its keys.
    pub keys: Keys,
    /// What was dealt.
    pub public: PublicDeal,
    /// Its sealed shares.
    pub shares: PathBuf,
    /// Where its journal is.
    pub data: PathBuf,
    /// Where it listens; nothing for its address in the group file.
    pub listen: Option<String>,
    /// Whether it reserves presignatures in blocks.
    pub reserve: bool,
    /// What it does wrong on purpose.
    pub misbehaviour: Option<Misbehaviour>,
}

/// A party that listens.
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
    strangers: Arc<Semaphore>,
    requesters: Vec<Arc<Semaphore>>,
    misbehaviour: Option<Misbehaviour>,
    points: CrashPoints,
}

struct Job {
    kind: RequestKind,
    answer: oneshot::Sender<Reply>,
}

impl Party {
    /// Opens shares and journal, ends all earlier epochs, and listens. From here on requests are answered as soon as
    /// [`serve`](Party::serve) runs.
    ///
    /// # Errors
    /// If a file cannot be used, the journal is another process', or the address is taken.
    pub async fn start(settings: PartyConfig) -> Result<Self, Failure> {
        let PartyConfig { group, keys, public, shares, data, listen, reserve, misbehaviour } = settings;
        public.require(&group)?;
        let identity = keys.identity()?;
        let me = group.committee.position(&Ed25519::public_key(&identity)).ok_or_else(|| {
            Failure::setup(format!("the keys of {} are no party's of the group file", keys.name()))
        })?;
        let requester_keys = group.requester_keys.clone().ok_or_else(|| {
            Failure::setup("the group file has no [[requester]], so nobody could ever ask; add one")
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
        adopt(&shares, journal.id())?;
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
        let (jobs, work) = mpsc::channel(QUEUE);
        let (end, ended) = oneshot::channel();
        let context = Arc::new(Context {
            tls: Tls::new(identity, &requester_keys, PROTOCOL)?,
            public,
            jobs,
            strangers: Arc::new(Semaphore::new(STRANGERS)),
            requesters: group.requesters.iter().map(|_| Arc::new(Semaphore::new(CONNECTIONS))).collect(),
            misbehaviour,
            points: points()?,
        });
        let next = signer.next();
        let signer = std::thread::Builder::new()
            .name("signer".into())
            .spawn(move || {
                let failure = run(signer, work);
                // The receiver is gone if nobody serves any more.
                let _ = end.send(());
                failure
            })
            .or_fail(Exit::Failed, "starting a thread")?;
        Ok(Self { listener, context, signer, ended, me, next })
    }

    /// Which party it is.
    pub fn member(&self) -> MemberIndex {
        self.me
    }

    /// How many presignatures were never used.
    pub fn left(&self) -> u32 {
        self.context.public.count().saturating_sub(self.next)
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        self.listener.local_addr().map_or_else(|_| "?".into(), |address| address.to_string())
    }

    /// Answers requesters until `stop` completes, or until the disk fails.
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
                    // Whoever panicked has said so.
                    let why = signer.join().ok().flatten().unwrap_or_else(|| "the signer ended".into());
                    return Err(Failure::failed(format!("nothing is signed any more: {why}")));
                }
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => greet(&context, stream),
                    // Too many open files: some will be closed.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
    }
}

/// Serves a connection in a task of its own, if there is room for strangers.
fn greet(context: &Arc<Context>, stream: TcpStream) {
    let Ok(stranger) = context.strangers.clone().try_acquire_owned() else { return };
    let context = context.clone();
    tokio::spawn(async move {
        // Whoever goes away, or says nonsense, is told nothing: the requester's side says what happened.
        let _ = connection(&context, stream, stranger).await;
    });
}

async fn connection(
    context: &Context,
    stream: TcpStream,
    stranger: OwnedSemaphorePermit,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let Ok(stream) = timeout(HANDSHAKE, context.tls.acceptor().accept(stream)).await else { return Ok(()) };
    let mut stream: TlsStream<TcpStream> = stream?;
    let proved = context.tls.member(stream.get_ref().1.peer_certificates());
    let room = proved.and_then(|requester| context.requesters.get(usize::from(requester)).cloned());
    let Some(Ok(_room)) = room.map(Semaphore::try_acquire_owned) else { return Ok(()) };
    drop(stranger);
    while let Some(frame) = read_frame(&mut stream, MAX_REQUEST, IDLE).await? {
        let (reply, readable) = match Request::decode(&frame, &()) {
            Ok(request) => (answer(context, request).await, true),
            Err(_) => (Some(refused(RefusalReason::Malformed)), false),
        };
        // Nothing if the signer has ended.
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

/// The signer's thread. Ends when nobody can ask any more, or with the reason why the disk failed.
fn run(mut signer: Signer, mut jobs: mpsc::Receiver<Job>) -> Option<String> {
    while let Some(first) = jobs.blocking_recv() {
        let mut taken = vec![first];
        while let Ok(job) = jobs.try_recv() {
            taken.push(job);
        }
        let (mut requests, mut waiting) = (Vec::new(), Vec::new());
        for Job { kind, answer } in taken {
            // Whoever went away does not want the answer.
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
