use crate::application::Rejection;

/// Maximum length of a key in bytes.
pub const MAX_KEY: usize = 128;
/// Maximum length of a value in bytes.
pub const MAX_VALUE: usize = 4096;

/// A transaction that is a command to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerCommand<'a> {
    /// `put KEY VALUE`
    Put {
        /// The key.
        key: &'a [u8],
        /// Its new value.
        value: &'a [u8],
    },
    /// `delete KEY`
    Delete {
        /// The key.
        key: &'a [u8],
    },
}

impl<'a> LedgerCommand<'a> {
    /// Parses a command; `None` for a payload.
    ///
    /// # Errors
    /// If the bytes start like a command and violate its rules.
    pub fn parse(transaction: &'a [u8]) -> Result<Option<Self>, Rejection> {
        if let Some(rest) = transaction.strip_prefix(b"put ") {
            let Some(space) = rest.iter().position(|byte| *byte == b' ') else {
                return Err(Rejection::new("NO_VALUE", "missing space after the key; write `put KEY VALUE`"));
            };
            let (key, value) = rest.split_at(space);
            let value = value.get(1..).unwrap_or_default();
            if value.len() > MAX_VALUE {
                return Err(Rejection::new(
                    "VALUE_TOO_LONG",
                    format!("value too long: expected at most {MAX_VALUE} bytes, got {}", value.len()),
                ));
            }
            return Ok(Some(LedgerCommand::Put { key: checked_key(key)?, value }));
        }
        match transaction.strip_prefix(b"delete ") {
            Some(key) => Ok(Some(LedgerCommand::Delete { key: checked_key(key)? })),
            None => Ok(None),
        }
    }
}

pub(super) fn checked_key(key: &[u8]) -> Result<&[u8], Rejection> {
    if key.is_empty() || key.len() > MAX_KEY || key.contains(&b' ') {
        return Err(Rejection::new("BAD_KEY", format!("key: expected 1 to {MAX_KEY} bytes without a space")));
    }
    Ok(key)
}
