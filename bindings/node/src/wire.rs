//! Reading and writing encodings, and hashes under a domain.

use napi::Env;
use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use quorate::wire::{Reader, Writer, domain};

use crate::glue::{Bytes, Result, Throw, bytes, large, number};
use crate::handle::External;

#[napi(catch_unwind)]
pub fn wire_hash<'env>(env: &'env Env, name: String, data: &[u8]) -> Result<Bytes<'env>> {
    bytes(env, domain::hash(&name, data))
}

/// A reader's bytes, which it owns, and its position.
pub struct Input {
    bytes: Vec<u8>,
    at: usize,
}

impl Input {
    /// Reads on from the position; a failed read does not move it.
    fn read<'a, T>(&'a mut self, read: impl FnOnce(&mut Reader<'a>) -> quorate::Result<T>) -> Result<T> {
        let mut reader = Reader::new(self.bytes.get(self.at..).unwrap_or_default());
        let value = read(&mut reader).throw()?;
        self.at = self.bytes.len() - reader.remaining();
        Ok(value)
    }
}

#[napi(catch_unwind)]
pub fn reader_new(data: &[u8]) -> External<Input> {
    External::new(Input { bytes: data.to_vec(), at: 0 })
}

#[napi(catch_unwind)]
pub fn reader_remaining(reader: &External<Input>) -> f64 {
    (reader.bytes.len() - reader.at) as f64
}

#[napi(catch_unwind)]
pub fn reader_raw<'env>(env: &'env Env, reader: &mut External<Input>, length: f64) -> Result<Bytes<'env>> {
    bytes(env, reader.read(|r| r.raw(length as usize))?)
}

#[napi(catch_unwind)]
pub fn reader_u8(reader: &mut External<Input>) -> Result<u8> {
    reader.read(|r| r.u8())
}

#[napi(catch_unwind)]
pub fn reader_u16(reader: &mut External<Input>) -> Result<u16> {
    reader.read(|r| r.u16())
}

#[napi(catch_unwind)]
pub fn reader_u32(reader: &mut External<Input>) -> Result<u32> {
    reader.read(|r| r.u32())
}

#[napi(catch_unwind)]
pub fn reader_u64(reader: &mut External<Input>) -> Result<u64> {
    reader.read(|r| r.u64())
}

#[napi(catch_unwind)]
pub fn reader_u128(reader: &mut External<Input>) -> Result<u128> {
    reader.read(|r| r.u128())
}

#[napi(catch_unwind)]
pub fn reader_varint(reader: &mut External<Input>) -> Result<u32> {
    reader.read(|r| r.varint())
}

#[napi(catch_unwind)]
pub fn reader_bytes<'env>(env: &'env Env, reader: &mut External<Input>, cap: f64) -> Result<Bytes<'env>> {
    bytes(env, reader.read(|r| r.bytes("bytes", cap as usize))?)
}

#[napi(catch_unwind)]
pub fn reader_count(reader: &mut External<Input>, cap: f64) -> Result<u32> {
    reader.read(|r| r.count("list", cap as usize)).map(|count| count as u32)
}

#[napi(catch_unwind)]
pub fn reader_option(reader: &mut External<Input>) -> Result<bool> {
    reader.read(|r| r.tag())
}

#[napi(catch_unwind)]
pub fn reader_finish(reader: &mut External<Input>) -> Result<()> {
    reader.read(|r| r.finish())
}

#[napi(catch_unwind)]
pub fn writer_new() -> External<Writer> {
    External::new(Writer::new())
}

#[napi(catch_unwind)]
pub fn writer_length(writer: &External<Writer>) -> f64 {
    writer.len() as f64
}

#[napi(catch_unwind)]
pub fn writer_raw(writer: &mut External<Writer>, data: &[u8]) {
    writer.raw(data);
}

#[napi(catch_unwind)]
pub fn writer_u8(writer: &mut External<Writer>, value: u8) {
    writer.u8(value);
}

#[napi(catch_unwind)]
pub fn writer_u16(writer: &mut External<Writer>, value: u16) {
    writer.u16(value);
}

#[napi(catch_unwind)]
pub fn writer_u32(writer: &mut External<Writer>, value: u32) {
    writer.u32(value);
}

#[napi(catch_unwind)]
pub fn writer_u64(writer: &mut External<Writer>, value: BigInt) {
    writer.u64(number(&value));
}

#[napi(catch_unwind)]
pub fn writer_u128(writer: &mut External<Writer>, value: BigInt) {
    writer.u128(large(&value));
}

#[napi(catch_unwind)]
pub fn writer_varint(writer: &mut External<Writer>, value: u32) {
    writer.varint(value);
}

#[napi(catch_unwind)]
pub fn writer_bytes(writer: &mut External<Writer>, data: &[u8]) {
    writer.bytes(data);
}

#[napi(catch_unwind)]
pub fn writer_count(writer: &mut External<Writer>, length: u32) {
    writer.count(length as usize);
}

#[napi(catch_unwind)]
pub fn writer_option(writer: &mut External<Writer>, present: bool) {
    writer.u8(u8::from(present));
}

#[napi(catch_unwind)]
pub fn writer_into_bytes<'env>(env: &'env Env, writer: &mut External<Writer>) -> Result<Bytes<'env>> {
    bytes(env, std::mem::take(&mut **writer).into_bytes())
}
