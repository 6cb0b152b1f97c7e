//! Reads the bodies of requests, within an amount of memory that all clients share.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use http_body_util::BodyExt;

use super::error::ApiError;
use crate::client::code::Code;
use crate::host::host;

/// Memory for bodies that are being read, in bytes.
const TOTAL: usize = 64 << 20;
/// Part of it that one host may use. The local host may use all of it: a proxy may run there.
const PER_HOST: usize = TOTAL / 4;
/// Timeout for the body of a request.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The memory that bodies use at the moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_host: HashMap<IpAddr, usize>,
}

/// The memory of one body, released on drop.
#[derive(Debug)]
pub(super) struct Share {
    bodies: Bodies,
    host: IpAddr,
    bytes: usize,
}

impl Bodies {
    /// Reads a body of at most `limit` bytes from a client, with a timeout. The share is to be kept as long as the bytes.
    pub(super) async fn read(
        &self,
        client: IpAddr,
        body: Body,
        limit: usize,
    ) -> Result<(Vec<u8>, Share), ApiError> {
        // A body whose declared length is above the limit is not read.
        if body.size_hint().lower() > limit as u64 {
            return Err(too_large(limit));
        }
        let mut share = Share { bodies: self.clone(), host: host(client), bytes: 0 };
        match tokio::time::timeout(TIMEOUT, collect(body, limit, &mut share)).await {
            Ok(read) => read.map(|bytes| (bytes, share)),
            Err(_) => {
                let text = format!("the body did not arrive within {} seconds; retry", TIMEOUT.as_secs());
                Err(ApiError::new(Code::Timeout, text))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory is charged before it is allocated, and only for bytes that arrived: a declared length costs nothing.
async fn collect(mut body: Body, limit: usize, share: &mut Share) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|error| ApiError::new(Code::BadRequest, format!("incomplete body: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = bytes.len() + data.len();
        if length > limit {
            return Err(too_large(limit));
        }
        if length > bytes.capacity() {
            let capacity = length.max(2 * bytes.capacity()).min(limit);
            if !share.grow_to(capacity) {
                let text = "other requests use all memory for bodies; retry later or use another validator";
                return Err(ApiError::new(Code::TooManyClients, text));
            }
            bytes.reserve_exact(capacity - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    bytes.shrink_to_fit();
    Ok(bytes)
}

fn too_large(limit: usize) -> ApiError {
    let text = format!("body too large: expected at most {limit} bytes; split the request");
    ApiError::new(Code::BodyTooLarge, text)
}

impl Share {
    /// Returns false, and changes nothing, if the memory is in use. A single body always gets its memory.
    fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes - self.bytes;
        let mut held = self.bodies.lock();
        let of_host = held.by_host.get(&self.host).copied().unwrap_or(0);
        let allowed = if self.host.is_loopback() { TOTAL } else { PER_HOST };
        let is_single = of_host == self.bytes;
        if held.total + more > TOTAL || (of_host + more > allowed && !is_single) {
            return false;
        }
        held.total += more;
        *held.by_host.entry(self.host).or_default() += more;
        self.bytes = bytes;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.bodies.lock();
        held.total -= self.bytes;
        if let Some(of_host) = held.by_host.get_mut(&self.host) {
            *of_host -= self.bytes;
            if *of_host == 0 {
                held.by_host.remove(&self.host);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(bodies: &Bodies, client: &str) -> Share {
        Share { bodies: bodies.clone(), host: host(client.parse().unwrap()), bytes: 0 }
    }

    #[test]
    fn one_host_gets_a_quarter_and_the_local_host_all() {
        let bodies = Bodies::default();
        let (mut first, mut second) = (share(&bodies, "10.0.0.1"), share(&bodies, "10.0.0.1"));
        assert!(first.grow_to(PER_HOST - 10) && second.grow_to(10) && !second.grow_to(11));
        let (mut local, mut other) = (share(&bodies, "127.0.0.1"), share(&bodies, "10.0.0.2"));
        assert!(local.grow_to(TOTAL - PER_HOST) && !other.grow_to(1));
        drop((first, second));
        assert!(other.grow_to(PER_HOST));
        drop((local, other));
        let held = bodies.lock();
        assert!(held.total == 0 && held.by_host.is_empty());
    }

    #[test]
    fn a_single_body_may_be_above_the_share_of_its_host() {
        let bodies = Bodies::default();
        let mut large = share(&bodies, "10.0.0.1");
        assert!(large.grow_to(PER_HOST + 1));
        assert!(!share(&bodies, "10.0.0.1").grow_to(1));
    }
}
