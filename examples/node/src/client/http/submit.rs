use std::net::IpAddr;

use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;

use super::context::Context;
use super::error::ApiError;
use crate::client::code::Code;
use crate::handle::{Refusal, Ticket};

/// Maximum number of transactions in one request.
const MAX_TRANSACTIONS: usize = 10_000;

/// Result for one transaction of several.
#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Accepted(Ticket),
    Refused(ApiError),
}

/// Address of the client, which each connection adds to its requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client(pub(super) IpAddr);

/// `POST /v1/transactions`.
pub(super) async fn submit(
    State(context): State<Context>,
    Extension(Client(client)): Extension<Client>,
    request: Request,
) -> Result<Response, ApiError> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let many = kind.is_some_and(|kind| kind.split(';').next().map(str::trim) == Some("application/json"));
    let (body, _share) = context.bodies.read(client, request.into_body(), context.max_body).await?;
    if !many {
        // Checked here, so that a transaction above the chain's limit is not copied.
        if body.len() > context.max_transaction {
            return Err(Refusal::TooLarge { limit: context.max_transaction }.into());
        }
        let ticket = context.handle.submit(body.into())?;
        return Ok((StatusCode::ACCEPTED, Json(ticket)).into_response());
    }
    let transactions = parse(&body)?;
    let outcomes = context.handle.submit_many(transactions).into_iter();
    let outcomes: Vec<Outcome> = outcomes
        .map(|o| o.map_or_else(|refusal| Outcome::Refused(refusal.into()), Outcome::Accepted))
        .collect();
    Ok((StatusCode::ACCEPTED, Json(outcomes)).into_response())
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
