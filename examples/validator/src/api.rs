//! A client of a validator's HTTP interface: one short connection per request.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use quorate_node::handle::Digest;
use quorate_support::http::{self, Bytes, LengthLimitError, Method, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::exit::{Exit, Failure, OrFail};
use crate::responses::{
    Answer, BlockSummary, CommitProof, ServedEpoch, ServedEpochs, Status, Ticket, Transaction,
};

/// Maximum response size: an epoch carries all transactions of a block, in hexadecimal.
const LARGEST_ANSWER: usize = 160 << 20;
/// Time limit for a piece of a snapshot. A server reads many entries for the first of some parts.
const PIECE_TIMEOUT: Duration = Duration::from_secs(60);
/// Default time limit of a request.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// One validator's HTTP interface.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    /// Host and port.
    address: String,
}

/// Reason why a server does not deliver a piece of a snapshot.
#[derive(Debug)]
pub(crate) enum PieceError {
    /// It has no such piece, or no snapshot.
    Missing,
    /// It prepares its snapshot, or is busy.
    Preparing,
    /// It has released the snapshot.
    Gone,
    /// It does not answer, or refuses the request.
    Failed(String),
    /// It sent something that does not verify.
    Wrong(String),
}

impl fmt::Display for PieceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it has no snapshot"),
            Self::Preparing => f.write_str("it is busy for too long"),
            Self::Gone => f.write_str("it has released the snapshot"),
            Self::Failed(problem) => f.write_str(problem),
            Self::Wrong(problem) => write!(f, "it sent a wrong piece: {problem}"),
        }
    }
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
    message: String,
}

impl Api {
    /// Creates a client for a URL such as `http://127.0.0.1:8100`, or for a host and port.
    pub(crate) fn new(url: &str) -> Result<Self, Failure> {
        let address = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none() || address.contains('/') {
            let text = format!("invalid validator address {url:?}; write it like http://127.0.0.1:8100");
            return Err(Failure::new(Exit::Usage, text));
        }
        Ok(Self { address: address.to_owned() })
    }

    /// Returns host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the validator's status.
    pub(crate) async fn status(&self) -> Result<Status, Failure> {
        self.get("/v1/status", REQUEST_TIMEOUT).await
    }

    /// Returns the validator's status as JSON.
    pub(crate) async fn raw_status(&self) -> Result<serde_json::Value, Failure> {
        self.get("/v1/status", REQUEST_TIMEOUT).await
    }

    /// Returns the address of the submission stream. If it listens on all interfaces, the host is that of HTTP.
    pub(crate) async fn stream(&self) -> Result<String, Failure> {
        let none = || {
            let text = format!("the validator at {} serves no submission stream", self.address);
            Failure::new(Exit::Unreachable, text)
        };
        let address: SocketAddr =
            self.status().await?.stream.and_then(|s| s.parse().ok()).ok_or_else(none)?;
        let host = self.address.rsplit_once(':').map_or("127.0.0.1", |(host, _)| host);
        let unspecified = address.ip().is_unspecified();
        Ok(if unspecified { format!("{host}:{}", address.port()) } else { address.to_string() })
    }

    /// Submits a transaction.
    pub(crate) async fn submit(&self, transaction: Vec<u8>) -> Result<Ticket, Failure> {
        self.request(Method::POST, "/v1/transactions", transaction, REQUEST_TIMEOUT).await
    }

    /// Looks up a transaction and waits up to `wait` for its commit. Returns [`Exit::NotFound`] after that.
    pub(crate) async fn transaction(&self, id: Digest, wait: Duration) -> Result<Transaction, Failure> {
        let path = format!("/v1/transactions/{id}?wait={}", wait.as_secs_f64());
        self.get(&path, wait + REQUEST_TIMEOUT).await
    }

    /// Looks up a key of the application's state.
    pub(crate) async fn query(&self, key: &[u8]) -> Result<Answer, Failure> {
        self.get(&format!("/v1/ledger/{}?encoding=hex", hex::encode(key)), REQUEST_TIMEOUT).await
    }

    /// Returns one page of blocks, starting at height `from`.
    pub(crate) async fn blocks(&self, from: u64) -> Result<Vec<BlockSummary>, Failure> {
        self.get(&format!("/v1/blocks?from={from}&limit=1000"), REQUEST_TIMEOUT).await
    }

    /// Returns a committed block with the proof that it is committed.
    pub(crate) async fn commit_proof(&self, height: u64) -> Result<CommitProof, Failure> {
        self.get(&format!("/v1/blocks/{height}/proof"), REQUEST_TIMEOUT).await
    }

    /// Returns one page of epochs, starting at epoch `from`.
    pub(crate) async fn epochs(&self, from: u64) -> Result<Vec<ServedEpoch>, Failure> {
        let served: ServedEpochs = self.get(&format!("/v1/epochs?from={from}"), REQUEST_TIMEOUT).await?;
        Ok(served.epochs)
    }

    /// Returns a piece of a snapshot, at most `cap` bytes.
    pub(crate) async fn piece(&self, path: &str, cap: usize) -> Result<Bytes, PieceError> {
        let request = http::request(&self.address, Method::GET, path, Vec::new(), cap);
        let response = timeout(PIECE_TIMEOUT, request).await;
        let response = response.map_err(|_| PieceError::Failed("it does not answer in time".into()))?;
        let Response { status, body } = response.map_err(|error| match error.is::<LengthLimitError>() {
            true => PieceError::Wrong(format!("it is longer than {cap} bytes")),
            false => PieceError::Failed(error.to_string()),
        })?;
        if status == 200 {
            return Ok(body);
        }
        match serde_json::from_slice::<Refusal>(&body) {
            Ok(refusal) => Err(match refusal.code.as_str() {
                "NOT_FOUND" => PieceError::Missing,
                "SNAPSHOT_GONE" => PieceError::Gone,
                "SNAPSHOT_PREPARING" | "TOO_MANY_CLIENTS" | "BUSY" => PieceError::Preparing,
                _ => PieceError::Failed(format!("{} ({})", refusal.message, refusal.code)),
            }),
            Err(_) => Err(PieceError::Failed(format!("it answers with HTTP {status}; is it a validator?"))),
        }
    }

    /// Returns true if the validator is ready for clients.
    pub(crate) async fn is_ready(&self) -> bool {
        #[derive(Deserialize)]
        struct Health {
            ready: bool,
        }
        let health: Result<Health, _> = self.get("/health/ready", Duration::from_secs(1)).await;
        health.is_ok_and(|health| health.ready)
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, limit: Duration) -> Result<T, Failure> {
        self.request(Method::GET, path, Vec::new(), limit).await
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
        limit: Duration,
    ) -> Result<T, Failure> {
        let silent = || {
            let text = format!("the validator at {} does not answer", self.address);
            Failure::new(Exit::Unreachable, text)
        };
        let request = http::request(&self.address, method, path, body, LARGEST_ANSWER);
        let response = timeout(limit, request).await.map_err(|_| silent())?;
        let doing = format!("no validator answers at {}", self.address);
        let Response { status, body } = response.or_fail(Exit::Unreachable, doing)?;
        if (200..300).contains(&status) {
            let wrong = format!("the validator at {} sent an unexpected response", self.address);
            return serde_json::from_slice(&body).or_fail(Exit::Failed, wrong);
        }
        match serde_json::from_slice::<Refusal>(&body) {
            Ok(refusal) => Err(refused(&refusal)),
            Err(_) => {
                let text = format!("{} answers with HTTP {status}; is it a validator?", self.address);
                Err(Failure::new(Exit::Unreachable, text))
            }
        }
    }
}

fn refused(refusal: &Refusal) -> Failure {
    let exits = BTreeMap::from([("NOT_FOUND", Exit::NotFound), ("INTERNAL", Exit::Failed)]);
    let exit = exits.get(refusal.code.as_str()).copied().unwrap_or(Exit::Refused);
    Failure::new(exit, format!("{} ({})", refusal.message, refusal.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_with_and_without_their_scheme() {
        for url in ["http://127.0.0.1:8100", "http://127.0.0.1:8100/", "127.0.0.1:8100"] {
            assert_eq!(Api::new(url).unwrap().address(), "127.0.0.1:8100");
        }
        for wrong in ["", "http://", "localhost", "https://x:1/y", "http://x:1/y", "x:99999"] {
            assert_eq!(Api::new(wrong).unwrap_err().exit(), Exit::Usage, "{wrong}");
        }
    }
}
