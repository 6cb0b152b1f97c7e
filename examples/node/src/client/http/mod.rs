//! HTTP/1.1 with JSON. `spec/http.md` is the reference.
//!
//! | request | response |
//! |---|---|
//! | `POST /v1/transactions` | submits one transaction (raw body) or many (JSON list of hexadecimal strings) |
//! | `GET /v1/transactions/{id}` | the transaction and its proof of inclusion; `?wait=S` waits for the commit |
//! | `GET /v1/blocks/{height}`, `GET /v1/blocks?from=H&limit=N` | one block; the digests of many |
//! | `GET /v1/ledger/{key}` | a value of the application's state and its proof |
//! | `GET /v1/commits` | server-sent events, one per committed block |
//! | `GET /v1/status`, `/v1/validators`, `/v1/genesis` | the node, the committee, the chain |
//! | `GET /v1/epochs?from=N` | the committees of the epochs, with proofs |
//! | `GET /v1/snapshot`, `/v1/snapshot/{height}/…` | the newest snapshot of the state, and its pieces, for nodes that join |
//! | `GET /health`, `/health/live`, `/health/ready`, `/metrics` | health and metrics, for monitoring |

mod body;
mod commits;
mod context;
mod error;
mod lookup;
mod server;
mod snapshot;
mod status;
mod submit;

pub(super) use context::Context;
pub(super) use server::serve;
