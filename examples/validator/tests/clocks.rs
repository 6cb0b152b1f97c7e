//! Validators whose clocks differ.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::path::PathBuf;
use std::process::Command;

use support::chain::{Chain, FOUNDERS};
use support::eventually;

/// A library that sets the clock of a process two seconds ahead.
const AHEAD: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*system_clock)(clockid_t, struct timespec *);
    if (!system_clock) system_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = system_clock(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += 2;
    return result;
}
"#;

fn build(chain: &Chain) -> PathBuf {
    chain.sandbox.write("ahead.c", AHEAD);
    let (source, library) = (chain.sandbox.path("ahead.c"), chain.sandbox.path("ahead.so"));
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl").status();
    assert!(built.unwrap().success());
    library
}

/// Two of four clocks are two seconds ahead: no quorum of a clocked protocol is in one round.
#[test]
fn validators_report_that_their_clocks_differ() {
    let mut chain = Chain::new("gosig");
    let library = build(&chain);
    for name in FOUNDERS {
        let is_ahead = ["bob", "dave"].contains(&name);
        chain.start_with(name, |command| {
            if is_ahead {
                command.env("LD_PRELOAD", &library);
            }
        });
    }
    for (name, expected, side) in [("alice", 2000, "behind"), ("bob", -2000, "ahead")] {
        eventually(&format!("{name} knows the difference"), || {
            let status = chain.status(name);
            let difference = status.and_then(|status| status["clock_difference_ms"].as_i64());
            difference.is_some_and(|ms| (ms - expected).abs() <= 250)
        });
        eventually(&format!("{name} warns"), || {
            let log = chain.sandbox.read(&format!("{name}/log.txt"));
            log.lines().any(|line| {
                line.contains("WARN")
                    && line.contains("clock differs from peers by ")
                    && line.contains(&format!("s: it is {side}"))
            })
        });
    }
    // A restart with a correct clock ends the warnings.
    for name in ["bob", "dave"] {
        chain.kill(name);
        chain.start(name);
    }
    eventually("the clocks agree", || {
        let difference = chain.status("alice").and_then(|status| status["clock_difference_ms"].as_i64());
        difference.is_some_and(|ms| ms.abs() <= 250)
    });
    chain.commit("alice", "put clocks agree");
}
