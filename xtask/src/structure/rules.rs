//! The structure rules of the repository, as data. The other files of this folder check them.

/// The modules of the core in layers, lowest first. A module uses only modules of lower layers.
pub(crate) const LAYERS: &[&[&str]] = &[
    &["error", "split_mix"],
    &["wire"],
    &["machine", "merkle"],
    &["scheme", "erasure"],
    &["field"],
    &["bls", "ed25519", "committee"],
    &["certificate", "dsig", "sortition"],
    &["guard", "gossip", "light"],
    &["threshold"],
    &["any"],
    &["serde_impls"],
];

/// Crates that other crates must not use.
#[derive(Debug)]
pub(crate) struct CrateRule {
    /// The crates that the rule binds.
    pub(crate) bound: Bound,
    /// Crates that they must not use, for building or for tests, directly or through other crates of this workspace.
    pub(crate) forbidden: Forbidden,
    /// The reason, for the message of a violation.
    pub(crate) reason: &'static str,
}

/// Crates that a rule binds.
#[derive(Debug)]
pub(crate) enum Bound {
    /// The crate of this name.
    Crate(&'static str),
    /// The crates below a folder.
    Below(&'static str),
}

/// Crates that a rule forbids.
#[derive(Debug)]
pub(crate) enum Forbidden {
    /// All crates of this workspace.
    Workspace,
    /// Crates of this workspace below a folder, except those named.
    Folder { folder: &'static str, except: &'static [&'static str] },
    /// Crates by name.
    Named(&'static [&'static str]),
}

/// The rules between crates.
pub(crate) const CRATE_RULES: &[CrateRule] = &[
    CrateRule {
        bound: Bound::Crate("quorate"),
        forbidden: Forbidden::Workspace,
        reason: "the core stands alone",
    },
    CrateRule {
        bound: Bound::Crate("quorate-node"),
        forbidden: Forbidden::Folder { folder: "examples/protocols", except: &["quorate-protocol"] },
        reason: "the node knows the adapter trait and no protocol",
    },
    CrateRule {
        bound: Bound::Below("examples/protocols"),
        forbidden: Forbidden::Named(RUNTIMES),
        reason: "a protocol is a state machine and knows no runtime",
    },
];

/// Our runtime, and the crates of sockets, threads and clocks.
const RUNTIMES: &[&str] =
    &["quorate-node", "tokio", "tokio-rustls", "rustls", "axum", "hyper", "hyper-util", "fjall"];

/// Exceptions from [`CRATE_RULES`]: crate, used crate, reason. Crates behind the used crate are excepted too.
pub(crate) const CRATE_EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("quorate-broadcast", "quorate-node", "TLS links, key files and the journal of its own binary"),
    ("quorate-broadcast", "fjall", "the journal of its own binary"),
    ("quorate-broadcast", "tokio", "its own binary"),
];

/// Folders whose files are not checked for circles: the lists of test tools and bundled applications.
pub(crate) const UNCHECKED_FOLDERS: &[&str] = &["bindings/wasm/test/bundlers"];
