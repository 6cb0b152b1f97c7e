//! HTTP/1.1 with JSON. `spec/http.md` is the reference; this table is the map.
//!
//! | request | answer |
//! |---|---|
//! | `POST /v1/transactions` | takes one transaction (raw body) or many (JSON list of hexadecimal strings) |
//! | `GET /v1/transactions/{id}` | the transaction and its proof of inclusion; `?wait=S` waits for the commit |
//! | `GET /v1/blocks/{height}`, `GET /v1/blocks?from=H&limit=N` | one block; the digests of many |
//! | `GET /v1/ledger/{key}` | a value of the application's state and its proof |
//! | `GET /v1/commits` | server-sent events, one per committed block |
//! | `GET /v1/status`, `/v1/validators`, `/v1/genesis` | the node, the committee, the chain |
//! | `GET /v1/epochs?from=N` | who the members were from which height on, and what shows it |
//! | `GET /health`, `/health/live`, `/health/ready`, `/metrics` | for machines that watch machines |

mod commits;
mod error;
mod lookup;
mod submit;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Serialize;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::code::Code;
use super::listen::{self, Stopping};
use super::stall::StallGuard;
use crate::Result;
use crate::config::ClientConfig;
use crate::genesis::Genesis;
use crate::handle::{Handle, Status};
use crate::metrics::CodeLabel;
use error::ApiError;

/// How long a client may take to send its request's head, and to think of the next one.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may leave what it asked for unread.
const READ_PATIENCE: Duration = Duration::from_secs(10);
/// The most that a connection buffers of a request's head or a response.
const CONNECTION_BUFFER: usize = 64 << 10;
/// The most requests that read the disk at once; others queue for their turn.
const LOOKUPS: usize = 4;
/// The most requests that wait for a commit, and the most that queue for the disk.
const WAITERS: usize = 256;

/// What every request needs.
#[derive(Clone)]
pub(super) struct Context {
    handle: Handle,
    genesis: Arc<str>,
    max_body: usize,
    max_transaction: usize,
    stream: Option<SocketAddr>,
    lookups: Arc<Semaphore>,
    waiters: Arc<Semaphore>,
    stopping: Stopping,
}

impl Context {
    pub(super) fn new(
        config: &ClientConfig,
        handle: Handle,
        genesis: &Genesis,
        stream: Option<SocketAddr>,
        stopping: Stopping,
    ) -> Result<Self> {
        Ok(Self {
            handle,
            genesis: genesis.to_toml()?.into(),
            max_body: config.max_body_bytes,
            max_transaction: genesis.parameters.max_transaction_bytes as usize,
            stream,
            lookups: Arc::new(Semaphore::new(LOOKUPS)),
            waiters: Arc::new(Semaphore::new(WAITERS)),
            stopping,
        })
    }
}

/// Serves HTTP until the node stops.
pub(super) async fn serve(listener: TcpListener, limit: usize, context: Context, stopping: Stopping) {
    let connections = context.handle.metrics().clients.connections.clone();
    let router = router(context);
    let serve = |stream, peer| {
        let (router, connections, stopping) = (router.clone(), connections.clone(), stopping.clone());
        async move {
            connections.inc();
            connection(stream, peer, router, stopping).await;
            connections.dec();
        }
    };
    listen::accept(listener, limit, stopping.clone(), serve, refuse).await;
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, mut stopping: Stopping) {
    let io = TokioIo::new(StallGuard::new(stream, READ_PATIENCE));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(CONNECTION_BUFFER)
        .serve_connection(io, TowerToHyperService::new(router));
    let mut served = std::pin::pin!(served);
    let result = tokio::select! {
        result = served.as_mut() => result,
        () = listen::stopped(&mut stopping) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%peer, %error, "an HTTP connection ended");
    }
}

/// Tells a client that there is no room; what the socket does not take at once is not sent.
fn refuse(stream: TcpStream) {
    let body = r#"{"code":"TOO_MANY_CLIENTS","message":"too many clients are connected; try again, or at another validator"}"#;
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.try_write(response.as_bytes());
}

fn router(context: Context) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/v1/transactions", post(submit::submit))
        .route("/v1/transactions/{id}", get(lookup::transaction))
        .route("/v1/blocks", get(lookup::blocks))
        .route("/v1/blocks/{height}", get(lookup::block))
        .route("/v1/ledger/{key}", get(lookup::ledger))
        .route("/v1/commits", get(commits::commits))
        .route("/v1/status", get(status))
        .route("/v1/validators", get(validators))
        .route("/v1/epochs", get(lookup::epochs))
        .route("/v1/genesis", get(genesis))
        .route("/health", get(ready))
        .route("/health/ready", get(ready))
        .route("/health/live", get(live))
        .route("/metrics", get(metrics))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(context.clone(), guard))
        .with_state(context)
}

/// Refuses what a browser sends on behalf of another site, and counts.
async fn guard(State(context): State<Context>, request: Request, next: Next) -> Response {
    let route = label_of(request.uri().path());
    let clients = &context.handle.metrics().clients;
    clients.requests.get_or_create(&CodeLabel { code: route }).inc();
    let response = if request.method() == Method::POST && is_foreign(request.headers()) {
        let text = "this request comes from a web page of another site; send it from a program instead";
        ApiError::new(Code::ForeignOrigin, text).into_response()
    } else {
        next.run(request).await
    };
    if let Some(code) = response.extensions().get::<Code>() {
        clients.errors.get_or_create(&CodeLabel { code: code.name() }).inc();
    }
    response
}

/// Any page can make its reader's browser post to a loopback port; such a request names its origin.
fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (text(header::ORIGIN), text(header::HOST)) {
        (None, _) => headers.contains_key(header::ORIGIN),
        (Some(origin), Some(host)) => origin.strip_prefix("http://") != Some(host),
        (Some(_), None) => true,
    }
}

/// Paths as labels of a metric: a fixed set.
fn label_of(path: &str) -> &'static str {
    const ROUTES: [(&str, &str); 11] = [
        ("/v1/transactions/", "transaction"),
        ("/v1/transactions", "submit"),
        ("/v1/blocks", "blocks"),
        ("/v1/ledger", "ledger"),
        ("/v1/commits", "commits"),
        ("/v1/status", "status"),
        ("/v1/validators", "validators"),
        ("/v1/epochs", "epochs"),
        ("/v1/genesis", "genesis"),
        ("/health", "health"),
        ("/metrics", "metrics"),
    ];
    ROUTES.iter().find(|(start, _)| path.starts_with(start)).map_or("other", |(_, label)| label)
}

async fn index() -> &'static str {
    "quorate validator\n\n\
     POST /v1/transactions          submit one transaction (raw body) or a JSON list of hexadecimal strings\n\
     GET  /v1/transactions/{id}     a committed transaction and its proof; ?wait=SECONDS waits for the commit\n\
     GET  /v1/blocks/{height}       a committed block\n\
     GET  /v1/blocks?from=H&limit=N the digests of many\n\
     GET  /v1/ledger/{key}          a value of the state and its proof\n\
     GET  /v1/commits               a stream of server-sent events, one per committed block\n\
     GET  /v1/status                this validator\n\
     GET  /v1/validators            the committee\n\
     GET  /v1/epochs?from=N         the committees of all epochs, and what shows that they are\n\
     GET  /v1/genesis               the chain's genesis file\n\
     GET  /health                   200 when ready, 503 when not; /health/live, /health/ready\n\
     GET  /metrics                  for Prometheus\n"
}

/// A node's status, and where it takes streams.
#[derive(Serialize)]
struct StatusBody {
    #[serde(flatten)]
    status: Status,
    stream: Option<SocketAddr>,
}

async fn status(State(context): State<Context>) -> Response {
    Json(StatusBody { status: context.handle.status(), stream: context.stream }).into_response()
}

async fn validators(State(context): State<Context>) -> Response {
    Json(context.handle.validators()).into_response()
}

async fn genesis(State(context): State<Context>) -> Response {
    ([(header::CONTENT_TYPE, "application/toml")], context.genesis.to_string()).into_response()
}

/// Whether a load balancer should send clients here.
#[derive(Serialize)]
struct Health {
    live: bool,
    ready: bool,
    /// Why it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

async fn ready(State(context): State<Context>) -> Response {
    let status = context.handle.status();
    let why = match &status {
        s if s.stopping => Some("shutting down"),
        s if s.syncing => Some("catching up with the chain"),
        s if !s.peers.is_empty() && s.peers.iter().all(|peer| !peer.outgoing) => Some("no peer is connected"),
        _ => None,
    };
    let code = if why.is_none() { 200 } else { 503 };
    let code = axum::http::StatusCode::from_u16(code).unwrap_or_default();
    (code, Json(Health { live: true, ready: why.is_none(), why })).into_response()
}

async fn live() -> Response {
    Json(Health { live: true, ready: true, why: None }).into_response()
}

async fn metrics(State(context): State<Context>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], context.handle.metrics().render()).into_response()
}

async fn unknown_path() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such path; GET / lists them")
}

async fn wrong_method() -> ApiError {
    ApiError::new(Code::MethodNotAllowed, "this path does not take this method; GET / lists what there is")
}
