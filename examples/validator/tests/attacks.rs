//! Attacks on the resources of a validator process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use quorate_node::client::stream::protocol::{Event, PREAMBLE};
use quorate_support::ports::free_address;
use support::{CommandOutput, Running, Sandbox, eventually};

/// A chain of one validator.
struct Site {
    sandbox: Sandbox,
    http: SocketAddr,
    stream: SocketAddr,
}

impl Site {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let [link, http, stream] = [(); 3].map(|()| free_address().unwrap());
        sandbox.ok(&["keygen", "--name", "alice", "--address", &link.to_string(), "--out", "alice"]);
        sandbox.ok(&["genesis", "--chain", "test", "alice/public.toml"]);
        sandbox.write(
            "alice/config.toml",
            format!(
                "[node]\ngenesis = '../genesis.toml'\nkeys = 'keys'\ndata = 'data'\n\
                 [clients]\nhttp = '{http}'\nstream = '{stream}'\n"
            ),
        );
        Self { sandbox, http, stream }
    }

    /// Starts the validator with a limit of open files.
    fn start(&self, files: u32) -> Running {
        let validator = self.sandbox.command(&["run", "--config", "alice/config.toml", "--new-validator"]);
        let mut limited = Command::new("sh");
        limited.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]).arg(validator.get_program());
        limited.args(validator.get_args()).current_dir(self.sandbox.path(""));
        limited.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running { child: limited.spawn().unwrap() }
    }

    /// Returns the status line of an answer; empty if there is none.
    fn get(&self, path: &str) -> String {
        let mut answer = String::new();
        if let Ok(mut connection) = TcpStream::connect(self.http) {
            let _ = write!(connection, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
            let _ = connection.read_to_string(&mut answer);
        }
        answer.lines().next().unwrap_or_default().to_owned()
    }
}

/// A client of the submission stream.
struct Client {
    connection: TcpStream,
    bytes: Vec<u8>,
}

impl Client {
    fn connect(site: &Site) -> Self {
        let mut connection = TcpStream::connect(site.stream).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        connection.write_all(&PREAMBLE).unwrap();
        let mut client = Self { connection, bytes: Vec::new() };
        assert!(matches!(client.next(), Event::Welcome { .. }));
        client
    }

    fn next(&mut self) -> Event {
        loop {
            if let Some((event, length)) = Event::read(&self.bytes).unwrap() {
                self.bytes.drain(..length);
                return event;
            }
            let mut chunk = [0; 4096];
            let read = self.connection.read(&mut chunk).expect("an event");
            assert!(read > 0, "the validator closed the stream");
            self.bytes.extend_from_slice(&chunk[..read]);
        }
    }

    /// Submits transactions and waits until all are committed.
    fn commit(&mut self, transactions: impl Iterator<Item = Vec<u8>>) {
        let mut open = 0;
        for transaction in transactions {
            self.connection.write_all(&(transaction.len() as u32).to_le_bytes()).unwrap();
            self.connection.write_all(&transaction).unwrap();
            open += 1;
        }
        while open > 0 {
            match self.next() {
                Event::Committed { count, .. } => open -= u64::from(count),
                Event::Accepted { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// More idle connections than the process may open files: the store gets its files all the same.
#[test]
fn idle_clients_leave_the_store_its_files() {
    let site = Site::new();
    let validator = site.start(504);
    eventually("the validator is ready", || site.get("/health/ready").ends_with("200 OK"));
    let mut client = Client::connect(&site);
    let idle: Vec<_> = (0..260)
        .flat_map(|_| [TcpStream::connect(site.http), TcpStream::connect(site.stream)])
        .filter_map(Result::ok)
        .collect();
    assert!(idle.len() > 480);
    // Enough for several tables on disk.
    client.commit((0..3000_u32).map(|number| [&number.to_le_bytes()[..], &[b'x'; 4000]].concat()));
    eventually("a monitor finds a spare place", || site.get("/health/live").ends_with("200 OK"));
    drop(idle);
    eventually("clients are served again", || site.get("/v1/status").ends_with("200 OK"));
    validator.signal("TERM");
    let CommandOutput { code, stderr, .. } = validator.end();
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("fewer client connections"), "{stderr}");
}

#[test]
fn a_process_that_may_open_too_few_files_does_not_start() {
    let CommandOutput { code, stderr, .. } = Site::new().start(300).end();
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("this process may open 300 files"), "{stderr}");
}
