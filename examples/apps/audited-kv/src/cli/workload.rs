//! The workload of Figure 7 of the paper.

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audited_kv::command::Command;
use quorate_service::cli::Workload;
use quorate_support::rng::nth_output;

/// Maximum number of keys.
const MAX_KEYS: u32 = 1000;

/// Description of the workload.
pub(super) const WORKLOAD: &str =
    "keys of 16 bytes, values of 32; 20 % PUT, 80 % GET, 90 % of which find a value";

/// Returns a number of requests. All keys are written before.
pub(super) fn workload(requests: u32) -> Result<Workload, Failure> {
    let keys: u64 = requests.min(MAX_KEYS).into();
    let fill = (0..keys).map(|key| encoded(format!("{key:016}"), Some(format!("{key:032}"))));
    let requests = (0..requests).map(|number| {
        let (key, value) = request(number, keys);
        encoded(key, value)
    });
    Ok(Workload {
        clients: 1,
        fill: fill.collect::<Result<_, _>>()?,
        requests: requests.collect::<Result<_, _>>()?,
    })
}

fn encoded(key: String, value: Option<String>) -> Result<(usize, Vec<u8>), Failure> {
    let command = match &value {
        Some(value) => Command::Put { key: key.as_bytes(), value: value.as_bytes() },
        None => Command::Get { key: key.as_bytes() },
    };
    let mut bytes = Vec::new();
    command.encode_to(&mut bytes).or_fail(Exit::Failed, "a request")?;
    Ok((0, bytes))
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
        let all = workload(10_000).unwrap();
        let commands = || all.requests.iter().map(|(_, bytes)| Command::decode(bytes).unwrap());
        let puts = commands().filter(|command| matches!(command, Command::Put { .. })).count();
        assert_eq!(puts, 2000);
        let missing = commands().filter(|command| matches!(command, Command::Get { key } if key[12] == b'1'));
        assert!((640..1040).contains(&missing.count()));
        for command in commands() {
            let (key, value) = match command {
                Command::Put { key, value } => (key, value),
                Command::Get { key } | Command::Delete { key } => (key, &[0; 32][..]),
            };
            assert_eq!((key.len(), value.len()), (16, 32));
        }
    }
}
