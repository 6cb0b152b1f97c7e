//! A group in a temporary directory, with its parties as processes.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};
use quorate_support::ports::free_addresses;
use quorate_threshold_signing::deal::PublicDeal;
use quorate_threshold_signing::files::write_new;
use quorate_threshold_signing::group::Group;
use quorate_threshold_signing::keys::{Keys, Role};
use quorate_threshold_signing::protocol::{MAX_REPLY, Reply, Request, RequestKind, read_frame, write_frame};
use quorate_threshold_signing::{PROTOCOL, dealer};
use quorate_tls::{Tls, server_name};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_threshold-signing");

/// A group with its files on disk.
pub(crate) struct TestGroup {
    pub(crate) dir: TempDir,
    pub(crate) group: Arc<Group>,
    pub(crate) public: Arc<PublicDeal>,
    pub(crate) addresses: Vec<SocketAddr>,
}

impl TestGroup {
    /// Makes a group of `parties` parties and two requesters, with `count` presignatures.
    pub(crate) fn new(parties: usize, count: u32) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let addresses = free_addresses(parties).unwrap();
        let mut text = format!("name = \"test\"\nfaulty = {}\n", (parties - 1) / 3);
        for (i, address) in addresses.iter().enumerate() {
            let keys = Keys::generate(&format!("p{i}"), true).unwrap();
            keys.save(&dir.path().join(format!("p{i}.keys"))).unwrap();
            text += &keys.section(Role::Party { address: &address.to_string() }).unwrap();
        }
        for name in ["client", "rival"] {
            let keys = Keys::generate(name, false).unwrap();
            keys.save(&dir.path().join(format!("{name}.keys"))).unwrap();
            text += &keys.section(Role::Requester).unwrap();
        }
        std::fs::write(dir.path().join("group.toml"), &text).unwrap();
        let group = Arc::new(Group::parse(&text).unwrap());
        let dealt = dealer::deal(&group, count, None).unwrap();
        for (i, sealed) in dealt.sealed.iter().enumerate() {
            write_new(&dir.path().join(format!("p{i}.sealed")), true, sealed).unwrap();
        }
        write_new(&dir.path().join("deal.public"), false, &dealt.public.encode()).unwrap();
        Self { dir, group, public: Arc::new(dealt.public), addresses }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn keys(&self, name: &str) -> Keys {
        Keys::load(&self.path(&format!("{name}.keys"))).unwrap()
    }

    /// Returns a command of the program in the group's directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(self.dir.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs `sign` as the requester `client` with additional arguments.
    pub(crate) fn sign(&self, arguments: &[&str]) -> Output {
        let sign = ["sign", "--group", "group.toml", "--deal", "deal.public", "--keys", "client.keys"];
        self.run(&[&sign[..], arguments].concat())
    }

    /// Returns the command that serves a party.
    pub(crate) fn party(&self, i: usize, more: &[&str]) -> Command {
        let (keys, shares, data) = (format!("p{i}.keys"), format!("p{i}.sealed"), format!("data{i}"));
        let serve = ["serve", "--group", "group.toml", "--deal", "deal.public"];
        let own = ["--keys", &keys, "--shares", &shares, "--data", &data];
        let mut command = self.command(&[&serve[..], &own, more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts a party and waits until it accepts connections.
    pub(crate) fn start(&self, i: usize, more: &[&str]) -> Running {
        self.started(i, self.party(i, more))
    }

    pub(crate) fn started(&self, i: usize, mut command: Command) -> Running {
        // The pipe closes when this process ends, and the party exits when the pipe closes.
        command.arg("--stop-with-stdin").stdin(Stdio::piped());
        let mut running = Running(command.spawn().unwrap());
        let deadline = Instant::now() + Duration::from_secs(120);
        while std::net::TcpStream::connect(self.addresses[i]).is_err() {
            assert_eq!(running.0.try_wait().unwrap(), None, "party {i} ended");
            assert!(Instant::now() < deadline, "party {i} does not serve");
            std::thread::sleep(Duration::from_millis(5));
        }
        running
    }

    pub(crate) fn start_all(&self) -> Vec<Running> {
        (0..self.addresses.len()).map(|i| self.start(i, &[])).collect()
    }

    /// Connects to a party as the requester.
    pub(crate) async fn connect(&self, requester: &str, party: usize) -> std::io::Result<Link> {
        let tls =
            Tls::new(self.keys(requester).identity().unwrap(), &self.group.committee, PROTOCOL).unwrap();
        let key = self.group.committee.key(party as MemberIndex).unwrap();
        let connecting = async {
            let stream = TcpStream::connect(self.addresses[party]).await?;
            tls.connector(key).unwrap().connect(server_name().unwrap(), stream).await
        };
        let stream = tokio::time::timeout(Duration::from_secs(120), connecting).await??;
        Ok(Link { stream, deal: self.public.deal.id() })
    }
}

/// A connection that sends arbitrary requests.
pub(crate) struct Link {
    pub(crate) stream: TlsStream<TcpStream>,
    pub(crate) deal: [u8; 32],
}

impl Link {
    pub(crate) async fn ask(&mut self, kind: RequestKind) -> std::io::Result<Reply> {
        let request = Request { deal: self.deal, kind };
        self.exchange(&request.encode()).await
    }

    pub(crate) async fn exchange(&mut self, bytes: &[u8]) -> std::io::Result<Reply> {
        write_frame(&mut self.stream, bytes).await?;
        match read_frame(&mut self.stream, MAX_REPLY, Duration::from_secs(120)).await? {
            Some(bytes) => Ok(Reply::decode(&bytes, &()).unwrap()),
            None => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }

    pub(crate) async fn sign(&mut self, index: u32, message: &[u8]) -> std::io::Result<Reply> {
        self.ask(RequestKind::Sign { index, message: message.to_vec() }).await
    }
}

/// A process that is killed when dropped.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    /// Sends SIGKILL: nothing is completed or flushed.
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the exit code of a command and its output.
pub(crate) fn exit_code_and_output(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}
