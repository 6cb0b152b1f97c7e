use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use super::context::Context;
use super::error::ApiError;
use super::status::TOO_MANY_CLIENTS;
use super::submit::Client;
use super::{commits, lookup, snapshot, status, submit};
use crate::client::code::Code;
use crate::client::listen::{self, Places, Stopping};
use crate::client::stall::StallGuard;
use crate::metrics::CodeLabel;

/// Timeout for the head of a request, including the idle time before it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for a client that does not read its response.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections for monitors that arrive while clients use all others.
const SPARE: usize = 8;
/// The same as [`HEAD_TIMEOUT`] for these.
const SPARE_HEAD_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum size of the buffer for a request's head or a response.
const CONNECTION_BUFFER: usize = 64 << 10;

/// Serves HTTP until the node stops.
pub(in crate::client) async fn serve(
    listener: TcpListener,
    limit: usize,
    context: Context,
    stopping: Stopping,
) {
    let connections = context.handle.metrics().clients.connections.clone();
    let (all, reports) = (router(context.clone()), reports(context));
    let serve = |stream, peer: SocketAddr, is_spare| {
        let router = if is_spare { reports.clone() } else { all.clone() };
        let router = router.layer(Extension(Client(peer.ip())));
        let (connections, stopping) = (connections.clone(), stopping.clone());
        async move {
            connections.inc();
            connection(stream, peer, router, is_spare, stopping).await;
            connections.dec();
        }
    };
    let places = Places { clients: limit, spare: SPARE };
    listen::accept(listener, places, stopping.clone(), serve, refuse).await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    is_spare: bool,
    mut stopping: Stopping,
) {
    let io = TokioIo::new(StallGuard::new(stream, READ_TIMEOUT));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(if is_spare { SPARE_HEAD_TIMEOUT } else { HEAD_TIMEOUT })
        .keep_alive(!is_spare)
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
        tracing::debug!(%peer, %error, "HTTP connection ended");
    }
}

/// Refuses a connection above the limit, with a response if the socket accepts it without waiting.
fn refuse(stream: TcpStream) {
    let body = format!(r#"{{"code":"TOO_MANY_CLIENTS","message":"{TOO_MANY_CLIENTS}"}}"#);
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.try_write(response.as_bytes());
}

fn router(context: Context) -> Router {
    Router::new()
        .route("/", get(status::index))
        .route("/v1/transactions", post(submit::submit))
        .route("/v1/transactions/{id}", get(lookup::transaction))
        .route("/v1/blocks", get(lookup::blocks))
        .route("/v1/blocks/{height}", get(lookup::block))
        .route("/v1/blocks/{height}/proof", get(lookup::commit))
        .route("/v1/ledger/{key}", get(lookup::ledger))
        .route("/v1/commits", get(commits::commits))
        .route("/v1/status", get(status::status))
        .route("/v1/validators", get(status::validators))
        .route("/v1/epochs", get(lookup::epochs))
        .route("/v1/genesis", get(status::genesis))
        .route("/v1/snapshot", get(snapshot::newest))
        .route("/v1/snapshot/{height}/head", get(snapshot::head))
        .route("/v1/snapshot/{height}/blocks/{block}", get(snapshot::block))
        .route("/v1/snapshot/{height}/parts/{part}", get(snapshot::part))
        .merge(monitoring())
        .fallback(status::unknown_path)
        .method_not_allowed_fallback(status::wrong_method)
        .layer(middleware::from_fn_with_state(context.clone(), guard))
        .with_state(context)
}

/// What monitors ask, also while clients use all connections.
fn reports(context: Context) -> Router {
    monitoring()
        .fallback(status::too_many_clients)
        .layer(middleware::from_fn_with_state(context.clone(), guard))
        .with_state(context)
}

fn monitoring() -> Router<Context> {
    Router::new()
        .route("/health", get(status::ready))
        .route("/health/ready", get(status::ready))
        .route("/health/live", get(status::live))
        .route("/metrics", get(status::metrics))
}

/// Rejects requests that a browser sends on behalf of another site, and counts requests.
async fn guard(State(context): State<Context>, request: Request, next: Next) -> Response {
    let route = route_label(request.uri().path());
    let clients = &context.handle.metrics().clients;
    clients.requests.get_or_create(&CodeLabel { code: route }).inc();
    let response = if request.method() == Method::POST && is_foreign(request.headers()) {
        let text = "the request comes from a web page of another site; send it from a program instead";
        ApiError::new(Code::ForeignOrigin, text).into_response()
    } else {
        next.run(request).await
    };
    if let Some(code) = response.extensions().get::<Code>() {
        clients.errors.get_or_create(&CodeLabel { code: code.name() }).inc();
    }
    response
}

/// Returns true if the request comes from a web page of another site. Any page can make a browser post to a loopback
/// port, but the browser adds the page's origin.
fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match (text(header::ORIGIN), text(header::HOST)) {
        (None, _) => headers.contains_key(header::ORIGIN),
        (Some(origin), Some(host)) => origin.strip_prefix("http://") != Some(host),
        (Some(_), None) => true,
    }
}

/// Maps a path to a label of a metric, from a fixed set.
fn route_label(path: &str) -> &'static str {
    const ROUTES: [(&str, &str); 12] = [
        ("/v1/transactions/", "transaction"),
        ("/v1/transactions", "submit"),
        ("/v1/blocks", "blocks"),
        ("/v1/ledger", "ledger"),
        ("/v1/commits", "commits"),
        ("/v1/status", "status"),
        ("/v1/validators", "validators"),
        ("/v1/epochs", "epochs"),
        ("/v1/genesis", "genesis"),
        ("/v1/snapshot", "snapshot"),
        ("/health", "health"),
        ("/metrics", "metrics"),
    ];
    ROUTES.iter().find(|(start, _)| path.starts_with(start)).map_or("other", |(_, label)| label)
}
