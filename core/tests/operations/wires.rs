//! Vector operations of the wire encoding: integers, byte strings, lists, options, hashes under a domain.

use quorate::Result;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use serde_json::{Value, json};

use super::fields::{bytes, small, whole, written};

/// A number of eight bytes, for items of lists and options.
struct Number(u64);

impl Encode for Number {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.0);
    }
}

impl Decode for Number {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        r.u64().map(Self)
    }
}

pub(crate) fn run(operation: &str, input: &Value) -> Result<Value> {
    let data = bytes(&input["bytes"]);
    let (value, again) = match operation {
        "wire.uint" => uint(&data, small(&input["width"]))?,
        "wire.varint" => {
            let value = whole(&data, |r| r.varint())?;
            (json!(value.to_string()), written(|w| w.varint(value)))
        }
        "wire.bytes" => {
            let value = whole(&data, |r| r.bytes("bytes", small(&input["cap"])).map(<[u8]>::to_vec))?;
            (json!(hex::encode(&value)), written(|w| w.bytes(&value)))
        }
        "wire.list" => {
            let items: Vec<Number> = whole(&data, |r| r.list("list", small(&input["cap"]), &()))?;
            let text: Vec<String> = items.iter().map(|item| item.0.to_string()).collect();
            (json!(text), written(|w| w.list(&items)))
        }
        "wire.option" => {
            let value: Option<Number> = whole(&data, |r| r.option(&()))?;
            (json!(value.as_ref().map(|v| v.0.to_string())), written(|w| w.option(value.as_ref())))
        }
        "wire.hash" => {
            let name = input["domain"].as_str().unwrap();
            let domain = domain::ALL.iter().find(|known| **known == name).expect("a domain string");
            return Ok(json!({ "hash": hex::encode(domain::hash(domain, &data)) }));
        }
        _ => panic!("no operation {operation}"),
    };
    assert_eq!(again, hex::encode(&data), "the decoded value encodes to other bytes");
    Ok(json!({ "value": value }))
}

fn uint(data: &[u8], width: u64) -> Result<(Value, String)> {
    let value: u128 = whole(data, |r| match width {
        1 => r.u8().map(u128::from),
        2 => r.u16().map(u128::from),
        4 => r.u32().map(u128::from),
        8 => r.u64().map(u128::from),
        _ => r.u128(),
    })?;
    let again = written(|w| match width {
        1 => w.u8(value as u8),
        2 => w.u16(value as u16),
        4 => w.u32(value as u32),
        8 => w.u64(value as u64),
        _ => w.u128(value),
    });
    Ok((json!(value.to_string()), again))
}
