//! The hostile member at work: a thread with links to all honest validators, on which it does what a script says.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quorate::machine::MemberIndex;
use quorate_node::links::Lane;
use quorate_node::links::hello::InstanceId;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::member::{Member, Stream, new_process, put_frame, read_frames};
use super::pace::{Limits, Pace, Sent, ThreadClock};

/// Pause of a sender that has nothing to send, and of one that was refused.
const IDLE: Duration = Duration::from_millis(2);
const REFUSED: Duration = Duration::from_millis(50);
/// Maximum number of frames in one write, and of their bytes.
const ONE_WRITE: (u64, usize) = (64, 32 << 10);
/// Maximum number of frames of an answer that wait for their link.
const MAX_WAITING: usize = 1024;
/// Number of connections without authentication that half a handshake holds open.
const HALF_HANDSHAKES: usize = 64;
/// Time for which an attack holds half a frame, before it opens the next connection.
const HOLD: Duration = Duration::from_millis(200);

/// The frames of an attack.
pub trait Script: Send + Sync {
    /// Receives a frame of an honest member. Answers go into `out`.
    fn observe(&self, _from: MemberIndex, _lane: Lane, _frame: &[u8], _out: &Outbox) {}

    /// Returns the next frame for a member on a lane; `None` if there is none now.
    fn next(&self, to: MemberIndex, lane: Lane) -> Option<Vec<u8>>;
}

/// What the hostile member does.
#[derive(Clone)]
pub enum Behaviour {
    /// Sends frames, and reads those of the others.
    Frames(Arc<dyn Script>),
    /// Sends frames, and reads nothing on the links that it accepts.
    Stalled(Arc<dyn Script>),
    /// Halves of handshakes, headers, and halves of frames, on many connections.
    HalfFrames,
    /// Handshakes without end.
    Reconnect,
}

/// Frames that wait for their link, by recipient and lane.
#[derive(Default)]
pub struct Outbox(Mutex<Queues>);

/// By recipient and, true for the bulk lane, lane.
type Queues = HashMap<(MemberIndex, bool), VecDeque<Vec<u8>>>;

impl Outbox {
    pub fn push(&self, to: MemberIndex, lane: Lane, frame: Vec<u8>) {
        let mut waiting = self.0.lock().unwrap();
        let queue = waiting.entry((to, lane == Lane::Bulk)).or_default();
        if queue.len() < MAX_WAITING {
            queue.push_back(frame);
        }
    }

    fn pop(&self, to: MemberIndex, lane: Lane) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get_mut(&(to, lane == Lane::Bulk))?.pop_front()
    }
}

/// A running attack. It ends when this is dropped.
pub struct Running {
    thread: Option<JoinHandle<()>>,
    stop: Option<oneshot::Sender<()>>,
    pub clock: ThreadClock,
    pub sent: Arc<Sent>,
}

impl Running {
    /// Starts the thread of the hostile member.
    pub fn start(member: &Arc<Member>, behaviour: Behaviour, limits: Limits) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (clock_sender, clock) = mpsc::channel();
        let (sent, member) = (Arc::<Sent>::default(), member.clone());
        let shared = sent.clone();
        let thread = thread::Builder::new().name("hostile".into()).spawn(move || {
            let clock = ThreadClock::of_this_thread();
            clock_sender.send(clock.clone()).unwrap();
            let pace = Arc::new(Pace::new(limits, clock, shared));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind(&member.address).await.unwrap();
                Attacker { member, behaviour, pace, process: new_process(), outbox: Arc::default() }
                    .run(listener);
                let _ = stopped.await;
            });
        });
        let clock = clock.recv().unwrap();
        Self { thread: Some(thread.unwrap()), stop: Some(stop), clock, sent }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking(), "the hostile member's thread panicked");
    }
}

#[derive(Clone)]
struct Attacker {
    member: Arc<Member>,
    behaviour: Behaviour,
    pace: Arc<Pace>,
    process: InstanceId,
    outbox: Arc<Outbox>,
}

impl Attacker {
    /// Starts all tasks. They end with the runtime.
    fn run(self, listener: TcpListener) {
        for peer in 0..self.member.peers.len() {
            for lane in Lane::ALL {
                let attacker = self.clone();
                match &self.behaviour {
                    Behaviour::Frames(script) | Behaviour::Stalled(script) => {
                        let script = script.clone();
                        tokio::spawn(async move { attacker.send(&*script, peer, lane).await });
                    }
                    Behaviour::HalfFrames => {
                        tokio::spawn(async move { attacker.send_halves(peer, lane).await });
                    }
                    Behaviour::Reconnect => {
                        tokio::spawn(async move { attacker.reconnect(peer, lane).await });
                    }
                }
            }
        }
        tokio::spawn(self.accept(listener));
    }

    async fn accept(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            let attacker = self.clone();
            tokio::spawn(async move {
                let Ok((from, lane, stream)) = attacker.member.accept(stream, attacker.process).await else {
                    return;
                };
                match &attacker.behaviour {
                    Behaviour::Frames(script) => {
                        let receive = |frame: &[u8]| script.observe(from, lane, frame, &attacker.outbox);
                        let _ = read_frames(stream, receive).await;
                    }
                    Behaviour::Stalled(_) => {
                        std::future::pending::<()>().await;
                        drop(stream);
                    }
                    Behaviour::HalfFrames | Behaviour::Reconnect => {
                        let _ = read_frames(stream, |_| ()).await;
                    }
                }
            });
        }
    }

    async fn dial(&self, peer: usize, lane: Lane, process: InstanceId) -> Option<Stream> {
        let dialled = self.member.dial(&self.member.peers[peer], lane, process).await;
        if dialled.is_err() {
            sleep(REFUSED).await;
        }
        dialled.ok()
    }

    /// Sends the frames of a script, and connects again whenever the connection ends.
    async fn send(&self, script: &dyn Script, peer: usize, lane: Lane) {
        let to = self.member.peers[peer].index;
        let (mut link, mut rounds, mut bytes) = (None, 0, Vec::new());
        loop {
            self.pace.turn(rounds).await;
            let Some(stream) = &mut link else {
                link = self.dial(peer, lane, self.process).await;
                continue;
            };
            let mut frames = 0;
            bytes.clear();
            while frames < ONE_WRITE.0.min(self.pace.rounds_left(rounds)) && bytes.len() < ONE_WRITE.1 {
                let frame = self.outbox.pop(to, lane).or_else(|| script.next(to, lane));
                let Some(frame) = frame else { break };
                put_frame(&mut bytes, &frame);
                frames += 1;
            }
            if frames == 0 {
                sleep(IDLE).await;
                continue;
            }
            if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                link = None;
                continue;
            }
            rounds += frames;
            self.pace.count(frames, bytes.len());
        }
    }

    /// Holds half handshakes, and links on which half a frame of the maximum length follows its header.
    async fn send_halves(&self, peer: usize, lane: Lane) {
        let address = self.member.peers[peer].address.clone();
        let mut half_handshakes = VecDeque::new();
        let cap: u32 = if lane == Lane::Urgent { 8 << 20 } else { 16 << 20 };
        let half = vec![1; cap as usize / 2];
        let mut rounds = 0;
        loop {
            self.pace.turn(rounds).await;
            for _ in 0..4 {
                if let Ok(mut stream) = TcpStream::connect(&address).await {
                    // The begin of a handshake record of 512 bytes.
                    let _ = stream.write_all(&[22, 3, 1, 2, 0, 1, 0]).await;
                    half_handshakes.push_back(stream);
                }
                if half_handshakes.len() > HALF_HANDSHAKES {
                    half_handshakes.pop_front();
                }
            }
            let Some(mut link) = self.dial(peer, lane, self.process).await else { continue };
            let _ = link.write_all(&cap.to_le_bytes()).await;
            if rounds % 2 == 0 {
                let _ = timeout(HOLD, link.write_all(&half)).await;
            }
            let _ = link.flush().await;
            sleep(HOLD).await;
            rounds += 1;
            self.pace.count(1, half.len());
        }
    }

    /// Connects, as the same process and as new ones.
    async fn reconnect(&self, peer: usize, lane: Lane) {
        let mut rounds = 0;
        loop {
            self.pace.turn(rounds).await;
            let process = if rounds % 2 == 0 { self.process } else { new_process() };
            // A refusal needs no pause: it is what this attack is about.
            let _ = self.member.dial(&self.member.peers[peer], lane, process).await;
            rounds += 1;
            self.pace.count(1, 0);
        }
    }
}
