//! The programs of Figures 1 and 7, as data. A further program is one more entry of [`PROGRAMS`].

/// A program that measures itself with `bench --json`.
#[derive(Debug)]
pub(super) struct MeasuredProgram {
    /// Name of its table and drawing.
    pub(super) table: &'static str,
    pub(super) title: &'static str,
    /// Its short name in Figure 1, which has three of the programs.
    pub(super) figure_1: Option<PaperBreakdown>,
    /// The binary, which `cargo xtask bench` builds.
    pub(super) binary: &'static str,
    /// A program that it starts, and how to install that.
    pub(super) needs: Option<(&'static str, &'static str)>,
    /// Its arguments, for these numbers of requests.
    pub(super) arguments: fn(&Load) -> Vec<String>,
    /// Where a result has its percentiles: a JSON pointer.
    pub(super) percentiles: &'static str,
    /// Name of the results without signatures and log.
    pub(super) plain: &'static str,
    /// True if the results have `none`, too: with a log, without signatures.
    pub(super) has_log: bool,
    /// Number of signatures, each with its verification, that follow each other in one request.
    pub(super) signatures: f64,
    pub(super) paper: PaperLatencies,
    /// What was measured, and what differs from the paper.
    pub(super) note: &'static str,
}

/// Numbers of a measurement.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) requests: u32,
    pub(super) warm_up: u32,
    pub(super) suite: &'static str,
    /// False on a machine with one core.
    pub(super) pin: bool,
}

/// The paper's medians in microseconds.
#[derive(Debug)]
pub(super) struct PaperLatencies {
    pub(super) plain: f64,
    /// More than plain, with Dalek, Sodium and DSig.
    pub(super) added: [f64; 3],
    /// True if the paper states a bound of DSig's time and no median.
    pub(super) dsig_is_bound: bool,
}

/// The paper's Figure 1: how much DSig takes from EdDSA's cryptography and latency, in percent.
#[derive(Debug)]
pub(super) struct PaperBreakdown {
    pub(super) name: &'static str,
    pub(super) less_cryptography: f64,
    pub(super) less_latency: f64,
}

/// All programs, in the order of the paper.
pub(super) const PROGRAMS: &[MeasuredProgram] = &[
    MeasuredProgram {
        table: "dsig-figure-7-kv",
        title: "Figure 7: key-value store in memory, one request after another",
        figure_1: Some(PaperBreakdown {
            name: "key-value store",
            less_cryptography: 86.0,
            less_latency: 83.0,
        }),
        binary: "audited-kv",
        needs: None,
        arguments: service_arguments,
        percentiles: "",
        plain: "plain",
        has_log: true,
        signatures: 1.0,
        paper: PaperLatencies { plain: 2.5, added: [55.0, 79.0, 7.9], dsig_is_bound: true },
        note: "`audited-kv bench`, in the place of HERD: two processes and shared memory between them; the paper's are on two \
               machines with RDMA. Keys of 16 bytes, values of 32, one PUT per four GETs. Of each five runs of a target the one with \
               the lowest p99 between ticks counts.",
    },
    MeasuredProgram {
        table: "dsig-figure-7-redis",
        title: "Figure 7: Redis, one command after another",
        figure_1: None,
        binary: "audited-redis",
        needs: Some((
            "redis-server",
            "On Debian or Ubuntu `apt-get install redis-server` brings it, on macOS `brew install redis`.",
        )),
        arguments: |load| {
            let requests = load.requests.to_string();
            let mut arguments = words(&["bench", "--json", "--ops", &requests, "--suite", load.suite]);
            if !load.pin {
                arguments.push("--unpinned".to_owned());
            }
            arguments
        },
        percentiles: "",
        plain: "direct",
        has_log: true,
        signatures: 1.0,
        paper: PaperLatencies { plain: 12.0, added: [55.0, 79.0, 7.9], dsig_is_bound: true },
        note: "`audited-redis bench`: a real redis-server, and our front before it, over TCP on loopback; a client waits for each \
               answer. They share a core, because they work one after another, and the targets take turns of 500 commands; a \
               percentile is the median of those of the turns. The paper's server is changed itself and answers over RDMA, without a \
               kernel or a front in the path. Only the latency that \
               signatures add is comparable.",
    },
    MeasuredProgram {
        table: "dsig-figure-7-exchange",
        title: "Figure 7: exchange, one order after another",
        figure_1: None,
        binary: "exchange",
        needs: None,
        arguments: service_arguments,
        percentiles: "",
        plain: "plain",
        has_log: true,
        signatures: 1.0,
        paper: PaperLatencies { plain: 3.6, added: [55.0, 79.0, 7.9], dsig_is_bound: true },
        note: "`exchange bench`, in the place of Liquibook: two processes and shared memory between them; the paper's are on two \
               machines with RDMA. Half of the orders buy, half sell. With a log, the exchange also signs each answer, with DSig \
               and after the answer was sent. Of each five runs of a target the one with the lowest p99 between ticks counts.",
    },
    MeasuredProgram {
        table: "dsig-figure-7-broadcast",
        title: "Figure 7: consistent broadcast of 8 bytes, four members",
        figure_1: Some(PaperBreakdown {
            name: "consistent broadcast",
            less_cryptography: 82.0,
            less_latency: 73.0,
        }),
        binary: "quorate-broadcast",
        needs: None,
        arguments: |load| {
            let (requests, warm_up) = (load.requests.to_string(), load.warm_up.to_string());
            words(&["bench", "--json", "--requests", &requests, "--warm-up", &warm_up, "--suite", load.suite])
        },
        percentiles: "/latency_us",
        plain: "none",
        has_log: false,
        signatures: 2.0,
        paper: PaperLatencies { plain: 14.0, added: [109.0, 156.0, 20.0], dsig_is_bound: false },
        note: "`quorate-broadcast bench`: until the sender delivers, over TLS on loopback, all members in one process, so that they \
               wait for each other's processor time as well. The paper's members have a machine each and RDMA; its 14 µs without \
               signatures are derived from its 123 µs, 34 µs and 82 % less cryptography, and its 170 µs with Sodium from 80 % less \
               latency. Two signatures and two verifications are sequential: the sender's and the echoes'.",
    },
    MeasuredProgram {
        table: "dsig-figure-7-replicate",
        title: "Figure 7: replicated state machine, operations of 8 bytes, four replicas",
        figure_1: Some(PaperBreakdown { name: "replication", less_cryptography: 87.0, less_latency: 69.0 }),
        binary: "replicate",
        needs: None,
        arguments: |load| {
            let (requests, warm_up) = (load.requests.to_string(), load.warm_up.to_string());
            words(&["bench", "--json", "--requests", &requests, "--warm-up", &warm_up])
        },
        percentiles: "",
        plain: "none",
        has_log: false,
        signatures: 2.0,
        paper: PaperLatencies { plain: 46.0, added: [175.0, 268.0, 23.0], dsig_is_bound: false },
        note: "`replicate bench`, in the place of uBFT: until the client has f + 1 equal answers. Four replicas and the client are \
               threads of one process, and wait for each other's processor time; the paper's have a machine each, RDMA, and only \
               2f + 1 replicas, which memory outside the replicas permits. *Plain* is our fast path, without signatures; the paper's \
               takes 5 µs. Its 46 µs without signatures are derived from its slow path of 221 µs, 69 µs with DSig and 87 % less \
               cryptography, and its 314 µs with Sodium from 78 % less latency. Two signatures and two rounds of verifications are \
               sequential.",
    },
];

/// The arguments of the programs whose server is that of `examples/apps/service`.
fn service_arguments(load: &Load) -> Vec<String> {
    let requests = load.requests.to_string();
    let mut arguments =
        words(&["bench", "--json", "--rounds", "5", "--ops", &requests, "--suite", load.suite]);
    if !load.pin {
        arguments.push("--unpinned".to_owned());
    }
    arguments
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
