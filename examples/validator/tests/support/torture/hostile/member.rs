//! Authenticated links with the keys of a validator, whose owner does with them as it likes.

use std::io::{Error, Result};
use std::time::{SystemTime, UNIX_EPOCH};

use quorate::committee::ChainId;
use quorate::ed25519;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};
use quorate_node::genesis::Genesis;
use quorate_node::keys::NodeKeys;
use quorate_node::links::Lane;
use quorate_node::links::hello::{Answer, Hello, InstanceId, MAX_HELLO, Purpose, VERSION, Verdict};
use quorate_tls::{Tls, server_name};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::chain::Chain;

/// Protocol inside TLS (ALPN).
const PROTOCOL: &[u8] = b"quorate-link/1";
/// Maximum size of a frame that is read, in bytes.
const MAX_FRAME: usize = 32 << 20;

/// A connection with TLS.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

pub type Stream = Box<dyn Connection>;

/// The keys of a stopped validator, and the addresses of the others.
pub struct Member {
    pub genesis: Genesis,
    pub index: MemberIndex,
    pub keys: NodeKeys,
    tls: Tls,
    chain: ChainId,
    /// Address at which the others dial it.
    pub address: String,
    pub peers: Vec<Peer>,
}

/// An honest validator.
pub struct Peer {
    pub index: MemberIndex,
    pub address: String,
    key: ed25519::PublicKey,
}

impl Member {
    /// The validator of this name.
    pub fn new(chain: &Chain, name: &str) -> Self {
        let genesis = Genesis::load(&chain.sandbox.path("genesis.toml")).unwrap();
        let keys = NodeKeys::load(&chain.sandbox.path(&format!("{name}/keys")), None).unwrap();
        let identities = genesis.committees::<quorate::bls::MinSig>().unwrap().identities;
        let index = MemberIndex::try_from(genesis.position(name).unwrap()).unwrap();
        let members = (0..).zip(&genesis.members).zip(identities.keys());
        let mut peers: Vec<Peer> = members
            .map(|((index, member), key)| Peer { index, address: member.address.clone(), key: key.clone() })
            .collect();
        let own = peers.remove(index.into());
        let tls = Tls::new(keys.identity().unwrap(), &identities, PROTOCOL).unwrap();
        Self { index, tls, chain: genesis.chain_id(), address: own.address, peers, keys, genesis }
    }

    pub fn identity(&self) -> ed25519::SecretKey {
        self.keys.identity().unwrap()
    }

    /// Opens a connection to an honest validator, as a process with this number.
    pub async fn dial(&self, peer: &Peer, lane: Lane, process: InstanceId) -> Result<Stream> {
        let stream = TcpStream::connect(&peer.address).await?;
        stream.set_nodelay(true)?;
        let connector = self.tls.connector(&peer.key).map_err(Error::other)?;
        let mut stream = connector.connect(server_name().map_err(Error::other)?, stream).await?;
        let hello = Hello { version: VERSION, chain: self.chain, purpose: Purpose::Lane(lane), process };
        write_frame(&mut stream, &hello.encode()).await?;
        let answer = read_frame(&mut stream, MAX_HELLO).await?;
        match Answer::decode(&answer, &()).map_err(Error::other)?.verdict {
            Verdict::Welcome => Ok(Box::new(stream)),
            verdict => Err(Error::other(verdict.code())),
        }
    }

    /// Welcomes a connection of an honest validator. Returns its index and the lane.
    pub async fn accept(
        &self,
        stream: TcpStream,
        process: InstanceId,
    ) -> Result<(MemberIndex, Lane, Stream)> {
        let mut stream = self.tls.acceptor().accept(stream).await?;
        let from =
            self.tls.member(stream.get_ref().1.peer_certificates()).ok_or(Error::other("no member"))?;
        let hello = read_frame(&mut stream, MAX_HELLO).await?;
        let hello = Hello::decode(&hello, &()).map_err(Error::other)?;
        let answer = Answer { version: VERSION, verdict: Verdict::Welcome, process };
        write_frame(&mut stream, &answer.encode()).await?;
        match hello.purpose {
            Purpose::Lane(lane) => Ok((from, lane, Box::new(stream))),
            Purpose::Probe => Err(Error::other("a probe")),
        }
    }
}

/// Number of a new process of the member.
pub fn new_process() -> InstanceId {
    let mut number = [0; 16];
    getrandom::fill(&mut number).unwrap();
    InstanceId(number)
}

/// Adds a frame to bytes that are to be written.
pub fn put_frame(bytes: &mut Vec<u8>, frame: &[u8]) {
    bytes.extend(u32::try_from(frame.len()).unwrap().to_le_bytes());
    bytes.extend(frame);
}

async fn write_frame(stream: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> Result<()> {
    let mut bytes = Vec::new();
    put_frame(&mut bytes, frame);
    stream.write_all(&bytes).await?;
    stream.flush().await
}

async fn read_frame(stream: &mut (impl AsyncRead + Unpin), cap: usize) -> Result<Vec<u8>> {
    let length = stream.read_u32_le().await? as usize;
    if length > cap {
        return Err(Error::other("a frame is too long"));
    }
    let mut frame = vec![0; length];
    stream.read_exact(&mut frame).await?;
    Ok(frame)
}

/// Passes received frames to `receive`, and answers probes, until the connection ends.
pub async fn read_frames(mut stream: Stream, mut receive: impl FnMut(&[u8])) -> Result<()> {
    loop {
        let frame = read_frame(&mut stream, MAX_FRAME).await?;
        if !frame.is_empty() {
            receive(&frame);
            continue;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        write_frame(&mut stream, &u64::try_from(now.as_micros()).unwrap_or(0).to_le_bytes()).await?;
    }
}
