//! A real redis-server with the real front before it.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quorate_audited_redis::REDIS;
use quorate_audited_redis::audit::{Expected, Report, audit};
use quorate_audited_redis::client::{Client, ClientOptions};
use quorate_audited_redis::config::KnownClient;
use quorate_audited_redis::frame::SignatureScheme;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::{ReplyScanner, Value, encode_command};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A folder with a redis-server and a front before it.
pub struct Deployment {
    folder: TempDir,
    redis: Process,
    pub front: Option<Process>,
    pub address: String,
    pub store: [u8; 32],
    keys: Vec<(String, Key)>,
    accept: &'static str,
    max_age_ms: u64,
    pub scripts: bool,
}

/// Process that is killed when dropped.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Deployment {
    /// A deployment for clients `alice` and `bob`.
    pub fn new() -> Self {
        Self::with("[\"dsig\", \"eddsa\"]", 30_000)
    }

    pub fn with(accept: &'static str, max_age_ms: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let redis = redis_in(folder.path());
        let keys = ["alice", "bob"].map(|name| {
            let key = Key::generate().unwrap();
            key.save(&REDIS, &folder.path().join(format!("{name}.key"))).unwrap();
            (name.to_owned(), key)
        });
        let mut deployment = Self {
            folder,
            redis,
            front: None,
            address: String::new(),
            store: [0; 32],
            keys: keys.into(),
            accept,
            max_age_ms,
            scripts: false,
        };
        eventually("redis answers", || deployment.try_redis(&["PING"]).is_some());
        deployment.start_front();
        deployment
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn log(&self) -> PathBuf {
        self.path("audit.log")
    }

    pub fn key(&self, name: &str) -> &Key {
        &self.keys.iter().find(|(known, _)| known == name).unwrap().1
    }

    pub fn known(&self) -> Vec<KnownClient> {
        self.keys
            .iter()
            .map(|(name, key)| KnownClient { name: name.clone(), key: key.public().unwrap() })
            .collect()
    }

    /// Starts the front and returns its JSON output.
    pub fn start_front(&mut self) -> Json {
        self.start_front_at("127.0.0.1:0")
    }

    pub fn start_front_at(&mut self, listen: &str) -> Json {
        let mut text = format!(
            "listen = \"{listen}\"\nredis = \"unix:redis.sock\"\nlog = \"audit.log\"\n\
             refusals = \"refusals.jsonl\"\nsync = \"always\"\naccept = {}\nmax_age_ms = {}\nscripts = {}\n",
            self.accept, self.max_age_ms, self.scripts
        );
        for known in self.known() {
            text += &format!(
                "[[client]]\nname = {:?}\nkey = \"{}\"\n",
                known.name,
                hex::encode(known.key.as_bytes())
            );
        }
        std::fs::write(self.path("front.toml"), text).unwrap();
        let (process, ready) = self.spawn(&["front", "--json", "--config", "front.toml"]);
        self.front = Some(process);
        self.address = ready["listen"].as_str().unwrap().to_owned();
        hex::decode_to_slice(ready["store"].as_str().unwrap(), &mut self.store).unwrap();
        ready
    }

    /// Kills the front as a crash does.
    pub fn kill_front(&mut self) {
        self.front = None;
    }

    /// Sends Redis a signal, such as `STOP` and `CONT`.
    pub fn signal_redis(&self, name: &str) {
        let id = self.redis.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    pub fn kill_redis(&mut self) {
        let _ = self.redis.0.kill();
        let _ = self.redis.0.wait();
    }

    pub fn restart_redis(&mut self) {
        self.redis = redis_in(self.folder.path());
        eventually("redis answers", || self.try_redis(&["PING"]).is_some());
    }

    /// Stops the front with SIGTERM and waits for its exit.
    pub fn stop_front(&mut self) {
        let mut front = self.front.take().unwrap();
        let id = front.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(front.0.wait().unwrap().success());
    }

    /// Starts a part of the program that prints one line of JSON when it is ready.
    pub fn spawn(&self, arguments: &[&str]) -> (Process, Json) {
        ready(&mut self.command(arguments))
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_audited-redis"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    /// Exit code, standard output, standard error.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    pub async fn client(&self, name: &str) -> Client {
        self.client_with(name, SignatureScheme::Dsig).await
    }

    pub async fn client_with(&self, name: &str, scheme: SignatureScheme) -> Client {
        let options =
            ClientOptions { scheme, connect_timeout: Duration::from_secs(120), ..ClientOptions::default() };
        Client::connect(&self.address, self.key(name), options).await.unwrap()
    }

    /// Sends a command to Redis directly, bypassing the front.
    pub fn redis(&self, command: &[&str]) -> Value {
        self.try_redis(command).expect("redis answers")
    }

    fn try_redis(&self, command: &[&str]) -> Option<Value> {
        let mut stream = UnixStream::connect(self.path("redis.sock")).ok()?;
        stream.write_all(&encode_command(command).unwrap()).ok()?;
        let (mut scanner, mut reply, mut at) = (ReplyScanner::default(), Vec::new(), 0);
        loop {
            let mut chunk = [0; 65536];
            let read = stream.read(&mut chunk).ok()?;
            reply.extend_from_slice(&chunk[..read]);
            let (used, done) = scanner.scan(&reply[at..]).ok()?;
            at += used;
            if done {
                return Value::parse(&reply).ok();
            }
            if read == 0 {
                return None;
            }
        }
    }

    pub fn audit(&self) -> Report {
        self.audit_of(&self.log())
    }

    pub fn audit_of(&self, log: &Path) -> Report {
        audit(&REDIS, log, &Expected { clients: self.known(), ..Expected::default() }).unwrap()
    }

    /// Returns the recorded refusals once there are at least `count`.
    pub fn refusals(&self, count: usize) -> Vec<Json> {
        let read = || -> Vec<Json> {
            let text = std::fs::read_to_string(self.path("refusals.jsonl")).unwrap_or_default();
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        eventually("refusals are recorded", || read().len() >= count);
        read()
    }
}

/// Starts a process and waits for its line of JSON.
pub fn ready(command: &mut Command) -> (Process, Json) {
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Process(child), serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}")))
}

/// Starts a redis-server without persistence on a Unix socket.
fn redis_in(folder: &Path) -> Process {
    let redis = Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket", "redis.sock"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    Process(redis.expect("redis-server starts; on Debian: apt-get install redis-server"))
}

pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "not within two minutes: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns code, entry and offset of each finding.
pub fn found(report: &Report) -> Vec<(&'static str, u64, u64)> {
    report.findings.iter().map(|finding| (finding.code, finding.entry, finding.offset)).collect()
}
