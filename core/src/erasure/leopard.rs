//! Suite 1: the code of the crate `reed-solomon-simd`, known as Leopard. It takes O(n·log n) operations per element.

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

use super::code::Code;
use super::shards::Shards;
use crate::{Error, Result};

/// Keeps the working memory of both directions after their first use.
#[derive(Default)]
pub(super) struct Leopard {
    encoder: Option<ReedSolomonEncoder>,
    decoder: Option<ReedSolomonDecoder>,
}

impl Code for Leopard {
    fn encode(&mut self, shards: &mut Shards) -> Result<()> {
        let (data, parity, len) = (shards.shape().data(), shards.shape().parity(), shards.shard_len());
        let encoder = match self.encoder.take() {
            Some(mut encoder) => encoder.reset(data, parity, len).map(|()| encoder),
            None => ReedSolomonEncoder::new(data, parity, len),
        };
        let encoder = self.encoder.insert(encoder.map_err(unexpected)?);
        for shard in shards.iter().take(data) {
            encoder.add_original_shard(shard).map_err(unexpected)?;
        }
        let made = encoder.encode().map_err(unexpected)?;
        for (to, from) in shards.iter_mut().skip(data).zip(made.recovery_iter()) {
            to.copy_from_slice(from);
        }
        Ok(())
    }

    fn restore(&mut self, shards: &mut Shards, sources: &[usize], _lost: &[usize]) -> Result<()> {
        let (data, parity, len) = (shards.shape().data(), shards.shape().parity(), shards.shard_len());
        let decoder = match self.decoder.take() {
            Some(mut decoder) => decoder.reset(data, parity, len).map(|()| decoder),
            None => ReedSolomonDecoder::new(data, parity, len),
        };
        let decoder = self.decoder.insert(decoder.map_err(unexpected)?);
        let mut sources = sources.iter().copied().peekable();
        for (index, shard) in shards.iter().enumerate() {
            if sources.next_if_eq(&index).is_none() {
                continue;
            }
            match index.checked_sub(data) {
                None => decoder.add_original_shard(index, shard),
                Some(index) => decoder.add_recovery_shard(index, shard),
            }
            .map_err(unexpected)?;
        }
        let restored = decoder.decode().map_err(unexpected)?;
        let mut restored = restored.restored_original_iter().peekable();
        for (index, to) in shards.iter_mut().enumerate().take(data) {
            if let Some((_, from)) = restored.next_if(|(at, _)| *at == index) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }
}

/// Maps an error that validated input cannot cause: the [`Coder`](super::Coder) checks it first.
fn unexpected(_: reed_solomon_simd::Error) -> Error {
    Error::BadShape { rule: "suite 1 refused these shards" }
}
