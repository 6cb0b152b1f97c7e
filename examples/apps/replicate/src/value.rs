use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

/// Index of a client in the group file.
pub type ClientIndex = u16;
/// An operation of the application.
pub type Operation = [u8; 8];
/// Answer of the application to an operation.
pub type Answer = [u8; 8];

/// A client's request. A client has one request at a time and numbers its requests in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// The client.
    pub client: ClientIndex,
    /// The client's number of the request, at least 1.
    pub sequence: u64,
    /// The operation.
    pub operation: Operation,
}

/// Value of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Executes nothing. A new leader fills slots with it in which nothing can have been decided.
    Noop,
    /// Executes a request.
    Request(Request),
}

impl Encode for Request {
    fn encode_to(&self, w: &mut Writer) {
        w.u16(self.client);
        w.u64(self.sequence);
        w.raw(&self.operation);
    }
}

/// Decodes a request in a group with the given number of clients.
impl Decode<u16> for Request {
    fn decode_from(r: &mut Reader<'_>, clients: &u16) -> Result<Self> {
        let (client, sequence) = (r.u16()?, r.u64()?);
        if client >= *clients {
            return Err(Error::Malformed { what: "client: not in the group" });
        }
        if sequence == 0 {
            return Err(Error::Malformed { what: "sequence: expected at least 1, got 0" });
        }
        Ok(Self { client, sequence, operation: r.array()? })
    }
}

impl Encode for Value {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Value::Noop => w.u8(0),
            Value::Request(request) => {
                w.u8(1);
                request.encode_to(w);
            }
        }
    }
}

/// Decodes a value in a group with the given number of clients.
impl Decode<u16> for Value {
    fn decode_from(r: &mut Reader<'_>, clients: &u16) -> Result<Self> {
        match r.u8()? {
            0 => Ok(Value::Noop),
            1 => Ok(Value::Request(Request::decode_from(r, clients)?)),
            _ => Err(Error::Malformed { what: "value tag" }),
        }
    }
}
