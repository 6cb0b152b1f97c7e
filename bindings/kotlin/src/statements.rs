//! Signed statements.

use quorate::certificate::{self, Kind};
use quorate::wire::{Decode, Encode};

use crate::glue::{NativeFailure, Result, committee_id, hash32};

#[derive(uniffi::Record)]
pub(crate) struct Statement {
    kind: u8,
    epoch: u64,
    view: u64,
    digest: Vec<u8>,
}

impl From<&certificate::Statement> for Statement {
    fn from(statement: &certificate::Statement) -> Self {
        Self {
            kind: statement.kind.number(),
            epoch: statement.epoch,
            view: statement.view,
            digest: statement.digest.to_vec(),
        }
    }
}

impl TryFrom<Statement> for certificate::Statement {
    type Error = NativeFailure;

    fn try_from(statement: Statement) -> Result<Self> {
        Ok(Self {
            kind: Kind::new(statement.kind),
            epoch: statement.epoch,
            view: statement.view,
            digest: hash32("digest", &statement.digest)?,
        })
    }
}

#[uniffi::export]
fn statement_encode(statement: Statement) -> Result<Vec<u8>> {
    Ok(certificate::Statement::try_from(statement)?.encode())
}

#[uniffi::export]
fn statement_decode(bytes: Vec<u8>) -> Result<Statement> {
    Ok((&certificate::Statement::decode(&bytes, &())?).into())
}

#[uniffi::export]
fn statement_signed_bytes(statement: Statement, committee: Vec<u8>) -> Result<Vec<u8>> {
    let committee = committee_id(&committee)?;
    Ok(certificate::Statement::try_from(statement)?.signed_bytes(&committee).to_vec())
}

#[uniffi::export]
fn statement_identity(statement: Statement, committee: Vec<u8>) -> Result<Vec<u8>> {
    let committee = committee_id(&committee)?;
    Ok(certificate::Statement::try_from(statement)?.identity(&committee).to_vec())
}

#[uniffi::export]
fn statement_contradicts(a: Statement, b: Statement) -> Result<bool> {
    Ok(certificate::Statement::try_from(a)?.contradicts(&b.try_into()?))
}
