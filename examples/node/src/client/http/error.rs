use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::NodeError;
use crate::client::code::Code;
use crate::handle::Refusal;

/// Error response: `{"code": "…", "message": "…"}`.
#[derive(Debug, Serialize)]
pub(super) struct ApiError {
    #[serde(serialize_with = "serialize_code")]
    pub(super) code: Code,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl ApiError {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after_ms: None }
    }

    /// An error after which a repetition may succeed.
    pub(super) fn retry(code: Code, message: impl Into<String>, after_ms: u64) -> Self {
        Self { code, message: message.into(), retry_after_ms: Some(after_ms) }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let retry_after_ms = match &refusal {
            Refusal::Busy { retry_after } => u64::try_from(retry_after.as_millis()).ok(),
            Refusal::Syncing => Some(1000),
            _ => None,
        };
        Self { code: Code::from(&refusal), message: refusal.to_string(), retry_after_ms }
    }
}

impl From<NodeError> for ApiError {
    fn from(error: NodeError) -> Self {
        if let NodeError::Pruned { .. } = error {
            return Self::new(Code::Pruned, error.to_string());
        }
        // Details of an internal error go to the log only: any client can reach the port.
        tracing::error!(code = "REQUEST_FAILED", %error, reason = error.code(), "client request failed");
        Self::new(Code::Internal, "internal error; see the validator's log")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let seconds = self.retry_after_ms.map(|ms| ms.div_ceil(1000).max(1));
        let code = self.code;
        let mut response = (status, Json(self)).into_response();
        // The middleware counts errors by this code.
        response.extensions_mut().insert(code);
        if let Some(seconds) = seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

fn serialize_code<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name())
}
