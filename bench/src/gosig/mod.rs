//! Gosig.

mod cities;
mod collectors;
mod costs;
mod network;
mod plain;
mod queue;
mod stage;

pub(crate) fn attempt(text: &str) {
    let get = |name: &str, or: f64| {
        text.split_whitespace()
            .find_map(|part| part.strip_prefix(&format!("{name}=")))
            .map_or(or, |v| v.parse().unwrap_or(or))
    };
    let costs = costs::Costs {
        ed: 3e4,
        single: 8e5,
        another: 3e5,
        signer: 700.0,
        merge: 5.0,
        sign: 100_000,
        plain: 15e3,
    };
    let setting =
        network::Setting { cities: &cities::WORLD, bandwidth: get("bw", 2e6), connection: None, loss: 0.01 };
    let nodes = get("n", 1000.0) as usize;
    let case = stage::Case {
        nodes,
        silent: (nodes as f64 * get("silent", 0.0)) as usize,
        fan_out: get("fan", 5.0) as usize,
        setting,
        costs,
        seed: get("seed", 1.0) as u64,
    };
    let outcome = match get("model", 0.0) as u8 {
        0 => stage::run(&case).unwrap_or_default(),
        1 => plain::run(&case),
        _ => collectors::run(&case),
    };
    let show = |all: &[u64]| {
        let at =
            |f: f64| all.get(((all.len().max(1) - 1) as f64 * f) as usize).map_or(0.0, |v| *v as f64 / 1e9);
        format!(
            "{} min {:.2} 50% {:.2} 90% {:.2} 99% {:.2} 99.9% {:.2} max {:.2}",
            all.len(),
            at(0.0),
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(1.0)
        )
    };
    println!(
        "{text}\n  P  {}\n  TC {} of {}",
        show(&outcome.prepared),
        show(&outcome.complete),
        outcome.honest
    );
    println!(
        "  bytes mean {} max {} msgs {} verified {} longest {} highest {} busy {:.2}s events {} took {:.1}s",
        outcome.bytes.iter().sum::<u64>() / outcome.honest.max(1) as u64,
        outcome.bytes.last().copied().unwrap_or(0),
        outcome.messages / outcome.honest.max(1) as u64,
        outcome.verified / outcome.honest.max(1) as u64,
        outcome.longest,
        outcome.highest_count,
        outcome.busy as f64 / 1e9 / outcome.honest.max(1) as f64,
        outcome.events,
        outcome.took.as_secs_f64()
    );
}
