//! A client for one HTTP/1.1 request over plain TCP.
//!
//! Each request has a connection of its own: the programs that use it ask a validator at most a few times a second.

use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub use http_body_util::LengthLimitError;
pub use hyper::Method;
pub use hyper::body::Bytes;

/// Error of a request: the connection failed, or the response was malformed or too large.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: Bytes,
}

/// Sends a request to `address` ("host:port") and reads the response, whose body may have at most `max_body` bytes.
///
/// There is no timeout: wrap the future in `tokio::time::timeout`.
///
/// # Errors
/// If the connection fails, `path` is not a valid target, or the response is malformed or too large.
pub async fn request(
    address: &str,
    method: Method,
    path: &str,
    body: Vec<u8>,
    max_body: usize,
) -> Result<Response, Error> {
    let stream = TcpStream::connect(address).await?;
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, address)
        .header(header::CONNECTION, "close")
        .body(Full::new(Bytes::from(body)))?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let exchange = async {
        let response = sender.send_request(request).await?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), max_body).collect().await?.to_bytes();
        Ok(Response { status, body })
    };
    // `connection` drives the transfer. It ends when the server closes; the response may still be buffered then.
    let mut exchange = std::pin::pin!(exchange);
    tokio::select! {
        response = exchange.as_mut() => response,
        _ = connection => exchange.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Answers one request with `response` and returns the first line of the request.
    async fn serve(response: &'static [u8]) -> (String, tokio::task::JoinHandle<String>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\nbody") {
                stream.read_buf(&mut request).await.unwrap();
            }
            stream.write_all(response).await.unwrap();
            String::from_utf8(request).unwrap().lines().next().unwrap().to_owned()
        });
        (address, served)
    }

    #[tokio::test]
    async fn a_request_returns_status_and_body() {
        let (address, served) = serve(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\nnone").await;
        let response = request(&address, Method::POST, "/v1/x", b"body".to_vec(), 4).await.unwrap();
        assert_eq!(response, Response { status: 404, body: Bytes::from_static(b"none") });
        assert_eq!(served.await.unwrap(), "POST /v1/x HTTP/1.1");
    }

    #[tokio::test]
    async fn a_response_above_the_limit_is_an_error() {
        let (address, _served) = serve(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nlarge").await;
        request(&address, Method::POST, "/", b"body".to_vec(), 4).await.unwrap_err();
    }
}
