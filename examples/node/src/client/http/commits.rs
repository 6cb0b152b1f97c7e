use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::context::Context;
use crate::client::code::Code;
use crate::client::listen::{Stopping, stopped};
use crate::handle::CommitEvent;

/// Interval of keep-alive comments on a silent stream.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// State of a client's stream of commits.
enum Follow {
    Commits(Receiver<Arc<CommitEvent>>, Stopping),
    End,
}

/// `GET /v1/commits`: one server-sent event per block that is committed from now on. The stream ends with an event `end`
/// if the client falls behind by more events than the node buffers.
pub(super) async fn commits(State(context): State<Context>) -> Response {
    let follow = Follow::Commits(context.handle.commits(), context.stopping.clone());
    // The first line confirms the connection.
    let greeting = stream::once(async { Ok::<_, Infallible>(Bytes::from_static(b": quorate commits\n\n")) });
    let events = stream::unfold(follow, next);
    let body = Body::from_stream(stream::StreamExt::chain(greeting, events));
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // The stream has ended.
        (header::CONNECTION, "close"),
    ];
    (headers, body).into_response()
}

async fn next(follow: Follow) -> Option<(Result<Bytes, Infallible>, Follow)> {
    let Follow::Commits(mut commits, mut stopping) = follow else { return None };
    let (text, end) = tokio::select! {
        commit = commits.recv() => match commit {
            Ok(commit) => (event(&commit), false),
            Err(RecvError::Lagged(missed)) => (too_slow(missed), true),
            Err(RecvError::Closed) => (shutting_down(), true),
        },
        () = tokio::time::sleep(KEEP_ALIVE) => (": alive\n\n".to_owned(), false),
        () = stopped(&mut stopping) => (shutting_down(), true),
    };
    let follow = if end { Follow::End } else { Follow::Commits(commits, stopping) };
    Some((Ok(text.into()), follow))
}

fn event(commit: &CommitEvent) -> String {
    // Cannot fail: the event contains only numbers, hashes and lists of numbers.
    let data = serde_json::to_string(commit).unwrap_or_default();
    format!("event: commit\nid: {}\ndata: {data}\n\n", commit.height)
}

fn too_slow(missed: u64) -> String {
    end(
        Code::TooSlow,
        &format!(
            "the client read too slowly and missed {missed} commits; reconnect, and read the gap from /v1/blocks"
        ),
    )
}

fn shutting_down() -> String {
    end(Code::ShuttingDown, "the validator is shutting down; connect to another validator")
}

fn end(code: Code, message: &str) -> String {
    let data = serde_json::json!({ "code": code.name(), "message": message });
    format!("event: end\ndata: {data}\n\n")
}
