use quorate::guard::GuardRecord;
use quorate_node::store::Journal;

/// What makes records durable. [`Journal`] does; tests have others.
pub trait Durable: Send {
    /// Makes records durable, all of them, before it returns.
    ///
    /// # Errors
    /// Why not. Nothing is asked again then.
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String>;
}

impl Durable for Journal {
    fn append(&mut self, records: &[GuardRecord]) -> Result<(), String> {
        Journal::append(self, records).map_err(|e| e.to_string())
    }
}
