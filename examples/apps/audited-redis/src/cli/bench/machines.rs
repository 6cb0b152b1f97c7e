//! The measured processes: a redis-server and a front, killed when dropped.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use quorate_audited_redis::eddsa::EddsaLibrary;
use quorate_audited_redis::failure::Failure;
use quorate_audited_redis::keys::Key;
use quorate_audited_redis::resp::ReplyScanner;
use quorate_support::ports::free_address;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A redis-server without persistence.
pub(super) struct Redis {
    address: SocketAddr,
    _process: Child,
}

/// A connection to plain Redis.
pub(super) struct Direct {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A front before the redis-server.
pub(super) struct Front {
    address: String,
    _process: Child,
}

/// Time limit for a process to become ready.
const TIMEOUT: Duration = Duration::from_secs(20);

impl Redis {
    pub(super) async fn start(folder: &Path) -> Result<Self, Failure> {
        // Another process may take the port before Redis binds it; then another port is tried.
        for _ in 0..5 {
            let address = free_address().map_err(gone)?;
            let mut process = Command::new("redis-server")
                .args([
                    "--port",
                    &address.port().to_string(),
                    "--bind",
                    &address.ip().to_string(),
                    "--save",
                    "",
                    "--appendonly",
                    "no",
                ])
                .arg("--dir")
                .arg(folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .kill_on_drop(true)
                .spawn()
                .map_err(|error| {
                    Failure::unreachable(format!(
                        "redis-server: {error}; on Debian, `apt-get install redis-server`"
                    ))
                })?;
            let began = std::time::Instant::now();
            while began.elapsed() < TIMEOUT && matches!(process.try_wait(), Ok(None)) {
                if let Ok(mut direct) = Direct::connect(address).await
                    && direct.call(b"*1\r\n$4\r\nPING\r\n").await.is_ok()
                {
                    return Ok(Self { address, _process: process });
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        Err(Failure::unreachable("redis-server did not start"))
    }

    pub(super) async fn connect(&self) -> Result<Direct, Failure> {
        Direct::connect(self.address).await
    }
}

impl Direct {
    async fn connect(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await.map_err(gone)?;
        stream.set_nodelay(true).map_err(gone)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Sends a command and reads the reply.
    pub(super) async fn call(&mut self, command: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(command).await.map_err(gone)?;
        let mut scanner = ReplyScanner::default();
        loop {
            let (used, done) =
                scanner.scan(&self.buffer).map_err(|reason| Failure::unreachable(reason.to_string()))?;
            self.buffer.drain(..used);
            if done {
                return Ok(());
            }
            if self.stream.read_buf(&mut self.buffer).await.map_err(gone)? == 0 {
                return Err(Failure::unreachable("redis-server closed the connection"));
            }
        }
    }
}

impl Front {
    pub(super) async fn start(
        folder: &Path,
        redis: &Redis,
        keys: &[Key],
        sync: &str,
        library: EddsaLibrary,
    ) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::failed(format!("starting the front: {error}"));
        let config = folder.join(format!("{library}.toml"));
        let mut text = format!(
            "listen = \"127.0.0.1:0\"\nredis = \"{}\"\nlog = \"{library}.log\"\nrefusals = \"{library}.refusals\"\n\
             sync = \"{sync}\"\naccept = [\"none\", \"eddsa\", \"dsig\"]\n",
            redis.address,
        );
        for (number, key) in keys.iter().enumerate() {
            let public = hex::encode(key.public()?.as_bytes());
            text.push_str(&format!("[[client]]\nname = \"bench-{number}\"\nkey = \"{public}\"\n"));
        }
        std::fs::write(&config, text).map_err(failed)?;
        let mut process = Command::new(std::env::current_exe().map_err(failed)?)
            .args(["front", "--json", "--config"])
            .arg(&config)
            .args(["--eddsa", library.name()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            let mut output = BufReader::new(output);
            let ready = tokio::time::timeout(TIMEOUT, output.read_line(&mut line));
            ready.await.map_err(|_| Failure::failed("the front did not start"))?.map_err(failed)?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let address = said.get("listen").and_then(serde_json::Value::as_str);
        let address = address.ok_or_else(|| Failure::failed("the front did not start"))?.to_owned();
        Ok(Self { address, _process: process })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }
}

fn gone(error: std::io::Error) -> Failure {
    Failure::unreachable(format!("redis-server: {error}"))
}
