//! Handlers that report the node, the committee and the chain.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::context::Context;
use super::error::ApiError;
use crate::client::code::Code;
use crate::handle::{MissingHistory, Reachable, Status};

pub(super) async fn index() -> &'static str {
    "quorate validator\n\n\
     POST /v1/transactions          submit one transaction (raw body) or a JSON list of hexadecimal strings\n\
     GET  /v1/transactions/{id}     a committed transaction and its proof; ?wait=SECONDS waits for the commit\n\
     GET  /v1/blocks/{height}       a committed block\n\
     GET  /v1/blocks?from=H&limit=N the digests of several blocks\n\
     GET  /v1/ledger/{key}          a value of the state and its proof\n\
     GET  /v1/commits               a stream of server-sent events, one per committed block\n\
     GET  /v1/status                this validator\n\
     GET  /v1/validators            the committee\n\
     GET  /v1/epochs?from=N         the committees of the epochs, with proofs\n\
     GET  /v1/genesis               the chain's genesis file\n\
     GET  /health                   200 when ready, 503 when not; /health/live, /health/ready\n\
     GET  /metrics                  for Prometheus\n"
}

/// Status of the node and the address of its submission stream.
#[derive(Serialize)]
struct StatusBody {
    #[serde(flatten)]
    status: Status,
    stream: Option<SocketAddr>,
}

pub(super) async fn status(State(context): State<Context>) -> Response {
    Json(StatusBody { status: context.handle.status(), stream: context.stream }).into_response()
}

pub(super) async fn validators(State(context): State<Context>) -> Response {
    Json(context.handle.validators()).into_response()
}

pub(super) async fn genesis(State(context): State<Context>) -> Response {
    ([(header::CONTENT_TYPE, "application/toml")], context.genesis.to_string()).into_response()
}

/// Answer of the health endpoints.
#[derive(Serialize)]
struct Health {
    live: bool,
    ready: bool,
    /// Reason if the node is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn ready(State(context): State<Context>) -> Response {
    let status = context.handle.status();
    let why = match &status {
        Status { failure: Some(code), .. } => Some(format!("the node has failed: {code}")),
        s if s.stopping => Some("shutting down".to_owned()),
        Status { missing_history: Some(MissingHistory { height, .. }), .. } => {
            Some(format!("all peers have pruned block {height}, which this validator lacks"))
        }
        s if s.syncing => Some("catching up with the chain".to_owned()),
        s if !s.peers.is_empty() && s.peers.iter().all(|peer| !peer.outgoing) => {
            Some("no peer is connected".to_owned())
        }
        // An observer needs no quorum: one member sends it the blocks.
        s if s.me.is_some() && !s.reachable.quorum => {
            let Reachable { members, of, .. } = s.reachable;
            Some(format!("no quorum: {members} of {of} members are reachable"))
        }
        _ => None,
    };
    let code = if why.is_none() { 200 } else { 503 };
    let code = axum::http::StatusCode::from_u16(code).unwrap_or_default();
    (code, Json(Health { live: true, ready: why.is_none(), why })).into_response()
}

pub(super) async fn live() -> Response {
    Json(Health { live: true, ready: true, why: None }).into_response()
}

pub(super) async fn metrics(State(context): State<Context>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], context.handle.metrics().render()).into_response()
}

pub(super) async fn unknown_path() -> ApiError {
    ApiError::new(Code::NotFound, "unknown path; GET / lists all paths")
}

/// Text of the answer to clients that find all connections in use.
pub(super) const TOO_MANY_CLIENTS: &str =
    "too many clients are connected; retry later or use another validator";

pub(super) async fn too_many_clients() -> ApiError {
    ApiError::new(Code::TooManyClients, TOO_MANY_CLIENTS)
}

pub(super) async fn wrong_method() -> ApiError {
    ApiError::new(Code::MethodNotAllowed, "method not allowed for this path; GET / lists the methods")
}
