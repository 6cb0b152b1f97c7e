//! A signer and its validator, honest and not, over real connections.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::chain;
use quorate::bls::MinSig;
use quorate::certificate::{Kind, Statement};
use quorate::committee::Committee;
use quorate::ed25519::{self, Ed25519};
use quorate::guard::JournaledGuard;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Decode, Encode};
use quorate_node::genesis::{Committees, Genesis, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::signer::{
    Answer, Refusal, RemoteSigner, Request, SignerAddress, SignerError, SigningService,
};
use quorate_tls::{Tls, server_name};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_rustls::client::TlsStream;

const VOTE: Kind = Kind::new(1);
const TIMEOUT: Kind = Kind::new(2);
const ALPN: &[u8] = b"quorate-signer/1";

/// Member 0 of a chain of four, and the keys of its signer.
struct World<S: Scheme> {
    dir: tempfile::TempDir,
    genesis: Genesis,
    keys: Vec<NodeKeys>,
    /// The signer's identity.
    own: NodeKeys,
    committees: Committees<S>,
}

impl<S: Scheme> World<S> {
    fn new(scheme: SchemeName) -> Self {
        let (genesis, keys) = chain(4, scheme);
        let committees = genesis.committees::<S>().unwrap();
        let own = NodeKeys::generate(scheme).unwrap();
        Self { dir: tempfile::tempdir().unwrap(), genesis, keys, own, committees }
    }

    fn statement(&self, view: u64, digest: u8) -> Statement {
        self.committees.voters.statement(VOTE, view, [digest; 32])
    }

    /// Starts the signer; the first start creates its journal.
    async fn signer(&self) -> (SignerAddress, JoinHandle<()>) {
        let (path, chain) = (self.dir.path().join("journal"), self.genesis.chain_id());
        let secret = self.keys[0].voting::<S>().unwrap();
        let open = if path.exists() { JournaledGuard::open } else { JournaledGuard::create };
        let guard = open(Path::new(&path), secret, chain).unwrap();
        let validator = Ed25519::public_key(&self.keys[0].identity().unwrap());
        let identity = self.own.identity().unwrap();
        let service =
            SigningService::new(guard, self.committees.voters.clone(), identity, &validator).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = self.address(listener.local_addr().unwrap());
        let running = tokio::spawn(async move {
            service.run(listener).await;
        });
        (address, running)
    }

    fn address(&self, address: SocketAddr) -> SignerAddress {
        SignerAddress { identity: Ed25519::public_key(&self.own.identity().unwrap()), address }
    }

    /// The client of member `me`, with the identity of member `identity`.
    fn client(&self, signer: &SignerAddress, me: u16, identity: usize) -> RemoteSigner<S> {
        let identity = self.keys[identity].identity().unwrap();
        RemoteSigner::new(signer.clone(), identity, self.committees.voters.clone(), me).unwrap()
    }
}

/// Signs on a thread that may block.
async fn sign<S: Scheme>(
    mut client: RemoteSigner<S>,
    statement: Statement,
) -> (RemoteSigner<S>, Result<quorate::certificate::Vote<S>, SignerError>) {
    spawn_blocking(move || {
        let signed = client.sign(statement);
        (client, signed)
    })
    .await
    .unwrap()
}

async fn a_guarded_key<S: Scheme>(scheme: SchemeName) {
    let world = World::<S>::new(scheme);
    let (address, running) = world.signer().await;
    let (client, vote) = sign(world.client(&address, 0, 0), world.statement(5, 1)).await;
    let vote = vote.unwrap();
    assert!(vote.signer() == 0 && vote.check(&world.committees.voters).is_ok());
    let (client, again) = sign(client, world.statement(5, 1)).await;
    assert_eq!(again.unwrap(), vote);
    // A refusal is no failure: the next request is asked at once.
    for (view, digest) in [(5, 2), (4, 1)] {
        let (_, refused) = sign(world.client(&address, 0, 0), world.statement(view, digest)).await;
        let contradiction = quorate::Error::Contradiction { kind: 1, signed_view: 5 };
        assert_eq!(refused.unwrap_err(), SignerError::Refused(contradiction));
    }
    let other_epoch = Statement { epoch: 9, ..world.statement(6, 1) };
    let (client, refused) = sign(client, other_epoch).await;
    assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");
    let (mut client, timeout) = spawn_blocking(move || {
        let mut client = client;
        let vote = client.sign_timeout(TIMEOUT, 5, 4);
        (client, vote)
    })
    .await
    .unwrap();
    assert!(timeout.unwrap().check(&world.committees.voters).is_ok());
    // The journal outlives the signer, and the client its connection.
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    let failed;
    (client, failed) = sign(client, world.statement(6, 1)).await;
    assert_eq!(failed.unwrap_err().code(), "SIGNER_UNREACHABLE");
    let (_, paused) = sign(client, world.statement(6, 1)).await;
    assert!(matches!(paused, Err(SignerError::Paused { .. })), "{paused:?}");
    let (address, _running) = world.signer().await;
    let (client, refused) = sign(world.client(&address, 0, 0), world.statement(5, 2)).await;
    assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
    assert_eq!(sign(client, world.statement(5, 1)).await.1.unwrap(), vote);
}

#[tokio::test]
async fn a_signer_holds_an_ed25519_key() {
    a_guarded_key::<Ed25519>(SchemeName::Ed25519).await;
}

#[tokio::test]
async fn a_signer_holds_a_bls_key() {
    a_guarded_key::<MinSig>(SchemeName::Bls).await;
}

#[tokio::test]
async fn only_its_validator_is_answered_and_the_newest_connection_of_it() {
    let world = World::<Ed25519>::new(SchemeName::Ed25519);
    let (address, _running) = world.signer().await;
    // Another member, and a validator that expects another key, another signer, or another committee.
    let (_, refused) = sign(world.client(&address, 0, 1), world.statement(1, 1)).await;
    let refused = refused.unwrap_err();
    assert!(refused.to_string().contains("does not accept this node's identity key"), "{refused}");
    let (_, refused) = sign(world.client(&address, 1, 0), world.statement(1, 1)).await;
    assert_eq!(refused.unwrap_err(), SignerError::WrongKey { address: address.address });
    let identity = Ed25519::public_key(&world.keys[2].identity().unwrap());
    let impostor = SignerAddress { identity, address: address.address };
    let (_, refused) = sign(world.client(&impostor, 0, 0), world.statement(1, 1)).await;
    assert!(refused.unwrap_err().to_string().contains("another identity key"), "not the signer");
    let other = World::<Ed25519>::new(SchemeName::Ed25519);
    let identity = world.keys[0].identity().unwrap();
    let stranger = RemoteSigner::new(address.clone(), identity, other.committees.voters.clone(), 0).unwrap();
    let (_, refused) = sign(stranger, other.statement(1, 1)).await;
    assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");

    // Two processes with one identity: the newer connection replaces the older one, and both see one journal.
    let (first, vote) = sign(world.client(&address, 0, 0), world.statement(1, 1)).await;
    let (second, refused) = sign(world.client(&address, 0, 0), world.statement(1, 2)).await;
    assert!(vote.is_ok());
    assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
    let (_first, vote) = sign(first, world.statement(2, 1)).await;
    assert!(vote.is_ok(), "it has connected again");
    assert_eq!(sign(second, world.statement(2, 2)).await.1.unwrap_err().code(), "CONTRADICTION");
}

/// A TLS connection with the identity of member 0.
async fn dial(world: &World<Ed25519>, signer: &SignerAddress) -> TlsStream<TcpStream> {
    let identities = world.committees.identities.clone();
    let tls = Tls::new(world.keys[0].identity().unwrap(), &identities, ALPN).unwrap();
    let stream = TcpStream::connect(signer.address).await.unwrap();
    tls.connector(&signer.identity).unwrap().connect(server_name().unwrap(), stream).await.unwrap()
}

fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_le_bytes(), body].concat()
}

/// Reads until the signer closes the connection.
async fn rest(stream: &mut TlsStream<TcpStream>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A close without a TLS alert is one, too.
    let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await.unwrap();
    bytes
}

#[tokio::test]
async fn hostile_bytes_end_their_connection_only() {
    let world = World::<Ed25519>::new(SchemeName::Ed25519);
    let (address, _running) = world.signer().await;
    let malformed = frame(&Answer::<Ed25519>::Refused(Refusal::Malformed).encode());
    let sign_request =
        Request::Sign { committee: world.committees.voters.id(), statement: world.statement(3, 1) }.encode();
    for body in [&[9; 33][..], &[], &sign_request[..81], &[sign_request.as_slice(), &[0]].concat(), &[1; 128]]
    {
        let mut stream = dial(&world, &address).await;
        stream.write_all(&frame(body)).await.unwrap();
        assert_eq!(rest(&mut stream).await, malformed, "{} bytes", body.len());
    }
    for length in [129, u32::MAX] {
        let mut stream = dial(&world, &address).await;
        stream.write_all(&length.to_le_bytes()).await.unwrap();
        assert!(rest(&mut stream).await.is_empty(), "a frame of {length} bytes");
    }
    // A request that does not end: closed after two seconds.
    let mut slow = dial(&world, &address).await;
    slow.write_all(&frame(&sign_request)[..50]).await.unwrap();
    let begin = Instant::now();
    assert!(rest(&mut slow).await.is_empty());
    assert!(begin.elapsed() >= Duration::from_secs(1), "there is time for the rest of a request");
    // A whole request in single bytes, which a later connection does not end.
    let mut stream = dial(&world, &address).await;
    for byte in frame(&Request::Key(world.committees.voters.id()).encode()) {
        stream.write_all(&[byte]).await.unwrap();
        stream.flush().await.unwrap();
    }
    let mut answer = [0; 37];
    stream.read_exact(&mut answer).await.unwrap();
    let key = world.committees.voters.key(0).unwrap().clone();
    assert_eq!(Answer::<Ed25519>::decode(&answer[4..], &()).unwrap(), Answer::Key(key));
    // Silent connections and bytes that are no TLS, more of them than there are places.
    let mut held = Vec::new();
    for index in 0..40 {
        let mut stream = TcpStream::connect(address.address).await.unwrap();
        if index % 2 == 0 {
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        }
        held.push(stream);
    }
    assert!(sign(world.client(&address, 0, 0), world.statement(4, 1)).await.1.is_ok());
    assert_eq!(rest(&mut stream).await, b"", "replaced");
}

/// A signer that answers the question for its key, and then each request with these bytes, each after a pause.
async fn false_signer(
    world: &World<Ed25519>,
    answer: Vec<u8>,
    pause: Duration,
) -> (SignerAddress, JoinHandle<()>) {
    let tls = Tls::new(world.own.identity().unwrap(), &world.committees.identities, ALPN).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = world.address(listener.local_addr().unwrap());
    let key = world.committees.voters.key(0).unwrap().clone();
    let running = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = tls.acceptor().accept(stream).await.unwrap();
            let mut question = [0; 37];
            stream.read_exact(&mut question).await.unwrap();
            stream.write_all(&frame(&Answer::<Ed25519>::Key(key.clone()).encode())).await.unwrap();
            let mut request = [0; 86];
            while stream.read_exact(&mut request).await.is_ok() {
                for byte in &answer {
                    if stream.write_all(&[*byte]).await.is_err() || stream.flush().await.is_err() {
                        break;
                    }
                    tokio::time::sleep(pause).await;
                }
            }
        }
    });
    (address, running)
}

#[tokio::test]
async fn a_wrong_answer_is_never_a_vote() {
    let world = World::<Ed25519>::new(SchemeName::Ed25519);
    let statement = world.statement(7, 1);
    let signed = |key: usize, statement: Statement| {
        let secret = world.keys[key].voting::<Ed25519>().unwrap();
        let bytes = statement.signed_bytes(&world.committees.voters.id());
        frame(&Answer::<Ed25519>::Signature(Ed25519::sign(&secret, &bytes)).encode())
    };
    let right = signed(0, statement);
    let mut cut = right.clone();
    cut[0] -= 1;
    let key = Answer::<Ed25519>::Key(world.committees.voters.key(0).unwrap().clone());
    for (what, bytes, code) in [
        ("another key", signed(1, statement), "SIGNER_BAD_ANSWER"),
        ("another statement", signed(0, world.statement(7, 2)), "SIGNER_BAD_ANSWER"),
        ("a cut signature", cut, "SIGNER_BAD_ANSWER"),
        ("a key", frame(&key.encode()), "SIGNER_BAD_ANSWER"),
        ("garbage", frame(&[7; 40]), "SIGNER_BAD_ANSWER"),
        ("an empty frame", frame(&[]), "SIGNER_BAD_ANSWER"),
        ("a huge frame", u32::MAX.to_le_bytes().to_vec(), "SIGNER_BAD_ANSWER"),
        ("half an answer", right[..30].to_vec(), "SIGNER_UNREACHABLE"),
        ("nothing", Vec::new(), "SIGNER_UNREACHABLE"),
        ("a refusal that does not exist", frame(&[2, 9, 0, 0, 0, 0, 0, 0, 0, 0]), "SIGNER_BAD_ANSWER"),
    ] {
        let (address, running) = false_signer(&world, bytes, Duration::ZERO).await;
        let begin = Instant::now();
        let (client, signed) = sign(world.client(&address, 0, 0), statement).await;
        assert_eq!(signed.unwrap_err().code(), code, "{what}");
        assert!(begin.elapsed() < Duration::from_secs(5), "{what}");
        let (_, signed) = sign(client, statement).await;
        assert!(matches!(signed, Err(SignerError::Paused { .. })), "{what}: {signed:?}");
        running.abort();
    }
    // Each byte comes in time, the answer does not.
    let (address, _running) = false_signer(&world, right.clone(), Duration::from_millis(100)).await;
    let begin = Instant::now();
    let (_, signed) = sign(world.client(&address, 0, 0), statement).await;
    assert_eq!(signed.unwrap_err().code(), "SIGNER_UNREACHABLE");
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    let (address, _running) = false_signer(&world, right, Duration::ZERO).await;
    assert!(sign(world.client(&address, 0, 0), statement).await.1.is_ok(), "the right answer");
}

#[tokio::test]
async fn a_signer_is_for_a_member() {
    let world = World::<Ed25519>::new(SchemeName::Ed25519);
    let validator = Ed25519::public_key(&world.keys[0].identity().unwrap());
    let start = |key: ed25519::SecretKey, committee: Arc<Committee<Ed25519>>, directory: &str| {
        let journal = world.dir.path().join(directory);
        let guard = JournaledGuard::create(&journal, key, world.genesis.chain_id()).unwrap();
        SigningService::new(guard, committee, world.own.identity().unwrap(), &validator).map(|_| ())
    };
    let voters = world.committees.voters.clone();
    let key = || world.keys[0].voting::<Ed25519>().unwrap();
    assert!(start(key(), voters.clone(), "a").is_ok());
    assert_eq!(
        start(world.own.voting::<Ed25519>().unwrap(), voters, "b").unwrap_err().code(),
        "WRONG_CONTEXT"
    );
    let members = vec![(VerifiedKey::from_secret(&key()), 1)];
    let other = Committee::new(quorate::committee::ChainId::from_name("other"), 0, members).unwrap();
    assert_eq!(start(key(), Arc::new(other), "c").unwrap_err().code(), "WRONG_CONTEXT");
}
