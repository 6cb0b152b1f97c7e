//! Pieces of a snapshot for nodes that join.

use std::convert::Infallible;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::context::Context;
use super::error::ApiError;
use super::lookup::{bad_path, bad_request, look, waiting_permit};
use crate::client::code::Code;
use crate::handle::Handle;
use crate::snapshot::Piece;

/// Number of bytes that are handed to a connection at a time.
const SLICE: usize = 64 << 10;

/// `GET /v1/snapshot`.
pub(super) async fn newest(State(context): State<Context>) -> Result<Response, ApiError> {
    let _turn = waiting_permit(&context)?;
    let found = read_snapshot(&context, Handle::snapshot).await?;
    piece(found, "this validator has no snapshot yet, or makes none").map(|view| Json(view).into_response())
}

/// `GET /v1/snapshot/{height}/head`.
pub(super) async fn head(
    State(context): State<Context>,
    height: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(height) = height.map_err(bad_path)?;
    let height = number(&height)?;
    bytes(&context, move |handle| handle.snapshot_head(height)).await
}

/// `GET /v1/snapshot/{height}/blocks/{block}`.
pub(super) async fn block(
    State(context): State<Context>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path((height, block)) = path.map_err(bad_path)?;
    let (height, block) = (number(&height)?, number(&block)?);
    bytes(&context, move |handle| handle.snapshot_block(height, block)).await
}

/// `GET /v1/snapshot/{height}/parts/{part}`.
pub(super) async fn part(
    State(context): State<Context>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path((height, part)) = path.map_err(bad_path)?;
    let (height, part) = (number(&height)?, number(&part)?);
    let part = u32::try_from(part).map_err(|_| bad_request("part: expected a number below 2^32"))?;
    bytes(&context, move |handle| handle.snapshot_part(height, part)).await
}

/// Answers with the bytes of a piece. Few clients receive one at a time, because each holds it in memory.
async fn bytes(
    context: &Context,
    read: impl FnOnce(&Handle) -> crate::Result<Piece<Bytes>> + Send + 'static,
) -> Result<Response, ApiError> {
    let _turn = waiting_permit(context)?;
    let busy =
        || ApiError::retry(Code::TooManyClients, "too many clients receive a snapshot: retry later", 1000);
    let place = context.pieces.clone().try_acquire_owned().map_err(|_| busy())?;
    let found = read_snapshot(context, read).await?;
    let found = piece(found, "the snapshot has no such piece")?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CONTENT_LENGTH, HeaderValue::from(found.len())),
    ];
    // The place is free once the last slice is on its way.
    let slices = futures_util::stream::unfold((found, place), |(mut rest, place)| async move {
        let next = rest.split_to(rest.len().min(SLICE));
        (!next.is_empty()).then_some((Ok::<_, Infallible>(next), (rest, place)))
    });
    Ok((headers, Body::from_stream(slices)).into_response())
}

/// Reads the disk as [`look`] does, for fewer requests at a time.
async fn read_snapshot<T: Send + 'static>(
    context: &Context,
    read: impl FnOnce(&Handle) -> crate::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = context.snapshot_reads.clone().acquire_owned().await;
    let read = move |handle: &Handle| {
        let _permit = permit;
        read(handle)
    };
    look(context, read).await
}

fn piece<T>(found: Piece<T>, missing: &str) -> Result<T, ApiError> {
    match found {
        Piece::Found(found) => Ok(found),
        Piece::Missing => Err(ApiError::new(Code::NotFound, missing)),
        Piece::Preparing => Err(ApiError::retry(
            Code::SnapshotPreparing,
            "the validator prepares its snapshot: repeat the request",
            1000,
        )),
        Piece::Gone => Err(ApiError::new(
            Code::SnapshotGone,
            "the validator has released this snapshot; begin again with the newest one, /v1/snapshot",
        )),
    }
}

fn number(text: &str) -> Result<u64, ApiError> {
    text.parse().map_err(|_| bad_request("expected whole numbers in the path"))
}
