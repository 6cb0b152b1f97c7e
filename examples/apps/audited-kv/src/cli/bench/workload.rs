use quorate_audit::failure::Failure;
use quorate_audited_kv::client::Client;
use quorate_audited_kv::command::Command;
use quorate_support::rng::nth_output;

/// Maximum number of keys.
const MAX_KEYS: u32 = 1000;

/// The requests of a round, the same for each target.
pub(super) struct Workload {
    keys: u64,
    requests: Vec<(String, Option<String>)>,
}

impl Workload {
    pub(super) fn new(requests: u32) -> Self {
        let keys = requests.min(MAX_KEYS).into();
        Self { keys, requests: (0..requests).map(|number| request(number, keys)).collect() }
    }

    pub(super) fn commands(&self) -> impl Iterator<Item = Command<'_>> {
        self.requests.iter().map(|(key, value)| match value {
            Some(value) => Command::Put { key: key.as_bytes(), value: value.as_bytes() },
            None => Command::Get { key: key.as_bytes() },
        })
    }

    /// Writes all keys.
    pub(super) fn fill(&self, client: &mut Client) -> Result<(), Failure> {
        for key in 0..self.keys {
            let (key, value) = (format!("{key:016}"), format!("{key:032}"));
            client.call(&Command::Put { key: key.as_bytes(), value: value.as_bytes() })?;
        }
        Ok(())
    }
}

/// Key and, for PUT, value of the request with this number.
fn request(number: u32, keys: u64) -> (String, Option<String>) {
    let random = nth_output(number.into());
    let key = random % keys;
    match number % 10 {
        0 | 5 => (format!("{key:016}"), Some(format!("{number:032}"))),
        // One GET in ten is for a missing key.
        _ if (random >> 32) % 10 == 9 => (format!("{:016}", key + keys), None),
        _ => (format!("{key:016}"), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workload_matches_the_paper() {
        let all = Workload::new(10_000);
        let puts = all.commands().filter(|command| matches!(command, Command::Put { .. })).count();
        assert_eq!(puts, 2000);
        let missing =
            all.commands().filter(|command| matches!(command, Command::Get { key } if key[12] == b'1'));
        assert!((640..1040).contains(&missing.count()));
        for command in all.commands() {
            let (key, value) = match command {
                Command::Put { key, value } => (key, value),
                Command::Get { key } | Command::Delete { key } => (key, &[0; 32][..]),
            };
            assert_eq!((key.len(), value.len()), (16, 32));
        }
    }
}
