use std::time::Duration;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};

use super::context::Context;
use super::error::ApiError;
use crate::client::code::Code;
use crate::client::listen::stopped;
use crate::handle::{BlockView, Digest, EpochView, Handle, TransactionId, TransactionView};

/// Maximum time that a request may wait for a commit, in seconds.
const MAX_WAIT: f64 = 60.0;
/// Maximum number of blocks in one answer.
const MAX_BLOCKS: u64 = 1000;
/// Maximum length of a key in bytes.
const MAX_KEY: usize = 1024;
/// Minimum interval between two reads of the store while a request waits for a commit.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// Parameter `?wait=` of a transaction request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wait {
    wait: Option<f64>,
}

/// Parameters `?from=&limit=` of a block request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    from: Option<u64>,
    limit: Option<u64>,
}

/// Parameter `?encoding=` of a ledger request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Encoding {
    encoding: Option<String>,
}

/// Entry in a list of blocks.
#[derive(Serialize)]
struct BlockSummary {
    height: u64,
    view: u64,
    digest: Digest,
    author: Option<u16>,
    transactions: u64,
}

/// `GET /v1/transactions/{id}`.
pub(super) async fn transaction(
    State(context): State<Context>,
    id: Result<Path<String>, PathRejection>,
    query: Result<Query<Wait>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path(id) = id.map_err(bad_path)?;
    let id: TransactionId = id.parse().map_err(|e| bad_request(format!("transaction {id:?}: {e}")))?;
    let wait = query.map_err(bad_query)?.0.wait.unwrap_or(0.0);
    if !(0.0..=MAX_WAIT).contains(&wait) {
        return Err(bad_request(format!("wait: expected a number of seconds from 0 to {MAX_WAIT}")));
    }
    let found = if wait > 0.0 {
        let deadline = Instant::now() + Duration::from_secs_f64(wait);
        wait_for(&context, id, deadline).await?
    } else {
        let _turn = waiting_permit(&context)?;
        look(&context, move |handle| handle.transaction(id)).await?
    };
    let missing = || {
        let place = match context.handle.status().oldest_height {
            1 => String::new(),
            oldest => format!(" in a block from height {oldest} on, the oldest one at this validator"),
        };
        let text = format!(
            "transaction {id} is not committed{place}; it may still be pending (add ?wait=SECONDS to wait)"
        );
        ApiError::new(Code::NotFound, text)
    };
    found.map(|found| Json(found).into_response()).ok_or_else(missing)
}

/// Reads the store after each commit until the transaction is found or the time is over.
async fn wait_for(
    context: &Context,
    id: TransactionId,
    deadline: Instant,
) -> Result<Option<TransactionView>, ApiError> {
    let _turn = waiting_permit(context)?;
    // Subscribe before the first read, so that no commit is missed between the two.
    let mut commits = context.handle.commits();
    let mut stopping = context.stopping.clone();
    loop {
        let found = look(context, move |handle| handle.transaction(id)).await?;
        if found.is_some() {
            return Ok(found);
        }
        let next = async {
            loop {
                match commits.recv().await {
                    Ok(commit) if commit.transactions == 0 => {}
                    Ok(_) | Err(RecvError::Lagged(_)) => return true,
                    Err(RecvError::Closed) => return false,
                }
            }
        };
        let again = tokio::select! {
            next = timeout_at(deadline, next) => next.unwrap_or(false),
            () = stopped(&mut stopping) => false,
        };
        if !again {
            return look(context, move |handle| handle.transaction(id)).await;
        }
        // One read covers commits in quick succession.
        tokio::time::sleep(LOOK_PAUSE).await;
        while commits.try_recv().is_ok() {}
    }
}

/// Parameter `?from=` of an epoch request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct From {
    from: Option<u64>,
}

/// Answer with a list of epochs.
#[derive(Serialize)]
struct Epochs {
    epochs: Vec<EpochView>,
}

/// `GET /v1/epochs?from=N`.
pub(super) async fn epochs(
    State(context): State<Context>,
    query: Result<Query<From>, QueryRejection>,
) -> Result<Response, ApiError> {
    let from = query.map_err(bad_query)?.0.from.unwrap_or(0);
    let _turn = waiting_permit(&context)?;
    let epochs = look(&context, move |handle| handle.epochs(from)).await?;
    Ok(Json(Epochs { epochs }).into_response())
}

/// `GET /v1/blocks/{height}`.
pub(super) async fn block(
    State(context): State<Context>,
    height: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let height = parse_height(height)?;
    let _turn = waiting_permit(&context)?;
    let found = look(&context, move |handle| handle.block(height)).await?;
    found.map(|found| Json(found).into_response()).ok_or_else(|| no_block(height))
}

fn parse_height(height: Result<Path<String>, PathRejection>) -> Result<u64, ApiError> {
    let Path(height) = height.map_err(bad_path)?;
    height.parse().map_err(|_| bad_request("height: expected a whole number"))
}

fn no_block(height: u64) -> ApiError {
    ApiError::new(Code::NotFound, format!("no committed block at height {height} at this validator"))
}

/// `GET /v1/blocks/{height}/proof`.
pub(super) async fn commit(
    State(context): State<Context>,
    height: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let height = parse_height(height)?;
    let _turn = waiting_permit(&context)?;
    let found = look(&context, move |handle| handle.commit(height)).await?;
    found.map(|found| Json(found).into_response()).ok_or_else(|| no_block(height))
}

/// `GET /v1/blocks?from=H&limit=N`.
pub(super) async fn blocks(
    State(context): State<Context>,
    query: Result<Query<Range>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(range) = query.map_err(bad_query)?;
    let from = range.from.unwrap_or_else(|| context.handle.status().oldest_height).max(1);
    let limit = range.limit.unwrap_or(100);
    if limit > MAX_BLOCKS {
        return Err(bad_request(format!("limit: expected at most {MAX_BLOCKS}")));
    }
    let _turn = waiting_permit(&context)?;
    let found = look(&context, move |handle| {
        let mut found = Vec::new();
        for height in from..from.saturating_add(limit) {
            match handle.block(height)? {
                Some(block) => found.push(summary(&block)),
                None => break,
            }
        }
        Ok(found)
    });
    Ok(Json(found.await?).into_response())
}

/// `GET /v1/ledger/{key}`.
pub(super) async fn ledger(
    State(context): State<Context>,
    key: Result<Path<String>, PathRejection>,
    query: Result<Query<Encoding>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Path(key) = key.map_err(bad_path)?;
    let bytes = match query.map_err(bad_query)?.0.encoding.as_deref() {
        None | Some("text") => key.clone().into_bytes(),
        Some("hex") => {
            hex::decode(&key).map_err(|e| bad_request(format!("key: expected hexadecimal digits: {e}")))?
        }
        Some(_) => return Err(bad_request("encoding is text or hex")),
    };
    if bytes.len() > MAX_KEY {
        return Err(bad_request(format!("key: expected at most {MAX_KEY} bytes")));
    }
    let _turn = waiting_permit(&context)?;
    match look(&context, move |handle| handle.query(&bytes)).await? {
        Some(answer) => Ok(Json(answer).into_response()),
        None => Err(bad_request(format!("the application does not accept the key {key:?}"))),
    }
}

/// Acquires a permit to wait.
pub(super) fn waiting_permit(context: &Context) -> Result<tokio::sync::OwnedSemaphorePermit, ApiError> {
    let text = "too many requests are waiting; retry later or use another validator";
    context.waiters.clone().try_acquire_owned().map_err(|_| ApiError::new(Code::TooManyClients, text))
}

/// Reads the disk on a blocking thread, for a limited number of requests at a time.
pub(super) async fn look<T: Send + 'static>(
    context: &Context,
    read: impl FnOnce(&Handle) -> crate::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    let failed = || ApiError::new(Code::Internal, "internal error; see the validator's log");
    let permit = context.lookups.clone().acquire_owned().await.map_err(|_| failed())?;
    let handle = context.handle.clone();
    let read = move || {
        // Held until the read completes, even if the client disconnects.
        let _permit = permit;
        read(&handle)
    };
    tokio::task::spawn_blocking(read).await.map_err(|_| failed())?.map_err(ApiError::from)
}

fn summary(block: &BlockView) -> BlockSummary {
    BlockSummary {
        height: block.height,
        view: block.view,
        digest: block.digest,
        author: block.author,
        transactions: block.transactions,
    }
}

pub(super) fn bad_request(text: impl Into<String>) -> ApiError {
    ApiError::new(Code::BadRequest, text)
}

fn bad_query(rejection: QueryRejection) -> ApiError {
    bad_request(rejection.body_text())
}

pub(super) fn bad_path(rejection: PathRejection) -> ApiError {
    bad_request(rejection.body_text())
}
