use quorate::guard::GuardRecord;
use quorate_node::store::Journal;

/// Storage that makes records durable: [`Journal`], or a fake in tests.
pub trait Durable: Send {
    /// Makes all records durable before it returns.
    ///
    /// # Errors
    /// A message. The storage is not used again after an error.
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String>;
}

impl Durable for Journal {
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String> {
        Journal::append(self, records).map_err(|e| e.to_string())
    }
}
