//! The names that the interface declares for all bindings, from which their code is generated.

use std::collections::BTreeSet;

use quorate_generator::errors;
use quorate_generator::model::{Block, Class, Kind};

use crate::process::Outcome;

/// The methods and constants of errors, which each language has beside a class for each code.
const OF_ERRORS: [&str; 4] = ["code", "culprits", "details", "CODES"];

/// A class, a function outside classes, or a constant.
struct Declared {
    /// The path of its block, such as `threshold::bls`.
    block: String,
    name: String,
    /// The functions, constants, variants and fields of a class.
    members: BTreeSet<String>,
    /// True if WebAssembly does not have it.
    native: bool,
}

/// All that the interface declares.
pub(super) struct Interface(Vec<Declared>);

impl Interface {
    pub(super) fn read() -> Outcome<Self> {
        let blocks = quorate_generator::blocks()?;
        let errors = errors::classes()?.into_iter().map(|class| class.name);
        let members = OF_ERRORS.map(str::to_owned).into_iter().chain(errors).collect();
        let error = Declared { block: String::new(), name: "Error".to_owned(), members, native: false };
        let mut interface = Self(vec![error]);
        blocks.iter().for_each(|block| interface.add(block));
        Ok(interface)
    }

    fn add(&mut self, block: &Block) {
        let mut declare = |name: &str, members| {
            let (block, name, native) = (block.path.clone(), name.to_owned(), block.native);
            self.0.push(Declared { block, name, members, native });
        };
        for class in &block.classes {
            match class.kind {
                Kind::Module => class.functions.iter().for_each(|one| declare(&one.name, BTreeSet::new())),
                _ => declare(&class.name, members(class)),
            }
        }
        let of_classes = block.classes.iter().flat_map(|class| &class.constants);
        block.constants.iter().chain(of_classes).for_each(|one| declare(&one.name, BTreeSet::new()));
    }

    /// The members of the item with this name, of the block that is called as the core's module, or of all others; and
    /// whether WebAssembly has it.
    pub(super) fn find(&self, module: &str, name: &str) -> Option<(BTreeSet<&str>, bool)> {
        let named = || self.0.iter().filter(|one| one.name == name);
        let is_of_module = |one: &&Declared| one.block.rsplit("::").next() == module.rsplit("::").next();
        let mut found: Vec<&Declared> = named().filter(is_of_module).collect();
        if found.is_empty() {
            found = named().collect();
        }
        let members = found.iter().flat_map(|one| &one.members).map(String::as_str).collect();
        (!found.is_empty()).then_some((members, found.iter().any(|one| !one.native)))
    }
}

fn members(class: &Class) -> BTreeSet<String> {
    let functions = class.functions.iter().map(|one| &one.name);
    let constants = class.constants.iter().map(|one| &one.name);
    let variants = class.variants.iter().map(|one| &one.name);
    let fields = class.variants.iter().flat_map(|one| &one.fields).map(|one| &one.name);
    functions.chain(constants).chain(variants).chain(fields).cloned().collect()
}
