use std::time::Duration;

use axum::Json;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;

use super::context::Context;
use super::error::ApiError;
use crate::client::code::Code;
use crate::handle::{Refusal, Ticket};

/// Timeout for the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of transactions in one request.
const MAX_TRANSACTIONS: usize = 10_000;

/// Result for one transaction of several.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Accepted(Ticket),
    Refused(ApiError),
}

/// `POST /v1/transactions`.
pub(super) async fn submit(State(context): State<Context>, request: Request) -> Result<Response, ApiError> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let many = kind.is_some_and(|kind| kind.split(';').next().map(str::trim) == Some("application/json"));
    let body = read(request.into_body(), context.max_body).await?;
    if !many {
        // Checked here, so that a transaction above the chain's limit is not copied.
        if body.len() > context.max_transaction {
            return Err(Refusal::TooLarge { limit: context.max_transaction }.into());
        }
        let ticket = context.handle.submit(body)?;
        return Ok((StatusCode::ACCEPTED, Json(ticket)).into_response());
    }
    let transactions = parse(&body)?;
    let outcomes = context.handle.submit_many(transactions).into_iter();
    let outcomes: Vec<Outcome> = outcomes
        .map(|o| o.map_or_else(|refusal| Outcome::Refused(refusal.into()), Outcome::Accepted))
        .collect();
    Ok((StatusCode::ACCEPTED, Json(outcomes)).into_response())
}

/// Reads a body of at most `limit` bytes, with a timeout.
async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let too_large = || {
        let text = format!("body too large: expected at most {limit} bytes; split the request");
        ApiError::new(Code::BodyTooLarge, text)
    };
    // A body whose declared length is above the limit is not read.
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, limit).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(ApiError::new(Code::BadRequest, format!("incomplete body: {error}"))),
        Err(_) => {
            let text = format!("the body did not arrive within {} seconds; retry", BODY_TIMEOUT.as_secs());
            Err(ApiError::new(Code::Timeout, text))
        }
    }
}

/// Parses a JSON list of hexadecimal strings.
fn parse(body: &[u8]) -> Result<Vec<Bytes>, ApiError> {
    let bad = |text: String| ApiError::new(Code::BadRequest, text);
    let texts: Vec<&str> = serde_json::from_slice(body)
        .map_err(|e| bad(format!("malformed body: expected a JSON list of hexadecimal strings: {e}")))?;
    if texts.len() > MAX_TRANSACTIONS {
        let text = format!("too many transactions: expected at most {MAX_TRANSACTIONS}, got {}", texts.len());
        return Err(ApiError::new(Code::BodyTooLarge, text));
    }
    let decode = |(i, text)| {
        hex::decode(text)
            .map(Bytes::from)
            .map_err(|e| bad(format!("transaction {i}: expected hexadecimal digits: {e}")))
    };
    texts.into_iter().enumerate().map(decode).collect()
}
