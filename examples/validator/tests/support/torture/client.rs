//! A client of a validator's HTTP interface that keeps its connection.

use std::io::{BufRead, BufReader, Error, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Timeout of an answer: above the time for which a request may wait for a commit.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A client of one validator.
pub struct Client {
    address: String,
    connection: Option<BufReader<TcpStream>>,
}

impl Client {
    pub fn new(node: &str) -> Self {
        Self { address: node.trim_start_matches("http://").to_owned(), connection: None }
    }

    /// Sends a GET request.
    pub fn get(&mut self, path: &str) -> Result<(u16, Value)> {
        self.request("GET", path, "")
    }

    /// Sends a POST request with JSON.
    pub fn post(&mut self, path: &str, body: &Value) -> Result<(u16, Value)> {
        self.request("POST", path, &body.to_string())
    }

    /// Waits some seconds for the commit of a transaction, and returns its description.
    pub fn transaction(&mut self, id: &str) -> Option<Value> {
        let answer = self.get(&format!("/v1/transactions/{id}?wait=3")).ok()?;
        Some(answer.1).filter(|_| answer.0 == 200)
    }

    fn request(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Value)> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream = TcpStream::connect(&self.address)?;
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_nodelay(true)?;
                BufReader::new(stream)
            }
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        connection.get_mut().write_all(head.as_bytes())?;
        let answer = read_answer(&mut connection)?;
        self.connection = Some(connection);
        Ok(answer)
    }
}

fn read_answer(connection: &mut impl BufRead) -> Result<(u16, Value)> {
    let (mut line, mut length) = (String::new(), 0);
    connection.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| Error::other(format!("no status line: {line:?}")))?;
    while line != "\r\n" {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(Error::other("the answer ends in its head"));
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(Error::other)?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok((status, serde_json::from_slice(&body).map_err(Error::other)?))
}
