//! Rust that pyo3 exports to Python: one class around each structure of the interface, and the functions outside
//! structures. [`crate::python_module`] writes the modules from which users import them.

mod call;
mod copying;
mod defaults;
mod hooks;
mod naming;
mod plain;
mod types;

use std::path::PathBuf;

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Docs, Function, Kind};
use crate::names::commas;
use naming::may_wait;

pub(crate) use call::candidates;
pub(crate) use copying::{Copying, copying};
pub(crate) use defaults::Default;
pub(crate) use naming::{SET_OPERATORS, dotted, module, name_property, native_function, python_name};

/// The glue of all blocks, for `OUT_DIR`: a file of each, and `blocks.rs` with the list of them.
#[must_use]
pub fn files(blocks: &[Block]) -> Vec<(PathBuf, String)> {
    crate::glue(blocks, emit).chain([(PathBuf::from(crate::LIST), list(blocks))]).collect()
}

/// Writes the glue of a block, a Rust module with the name of the block at the root of the crate.
#[must_use]
pub fn emit(block: &Block) -> String {
    let head = format!(
        "use pyo3::prelude::*;\n\n#[allow(unused_imports, reason = \"a block may have no types\")]\n\
         use quorate_interface::{} as interface;\n",
        block.path
    );
    let classes: String = block.classes.iter().map(|one| class(block, one)).collect();
    head + &classes + &registration(block)
}

/// Writes the list of the blocks' modules, and the function that adds all of them to the native module.
fn list(blocks: &[Block]) -> String {
    let modules = crate::modules(blocks, "pub(crate)", "");
    let calls: String =
        blocks.iter().map(|block| format!("    {}::register(module)?;\n", block.name)).collect();
    format!(
        "{modules}\n/// Adds all blocks to the native module.\nfn register_blocks(module: &Bound<'_, PyModule>) -> PyResult<()> {{\n{calls}    Ok(())\n}}\n"
    )
}

/// Adds classes and functions to the native module, but not to its `__all__`: users import the block's own module.
fn registration(block: &Block) -> String {
    let mut lines = String::new();
    for class in &block.classes {
        match class.kind {
            Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => {
                lines += &format!(
                    "    module.setattr(\"{}\", module.py().get_type::<{}>())?;\n",
                    class.native, class.name
                );
            }
            Kind::Module => {
                for function in &class.functions {
                    lines += &registered(block, &function.name);
                    if function.is_slow() {
                        lines += &registered(block, &format!("{}_async", function.name));
                    }
                }
            }
            Kind::Names => {
                for property in class.getters() {
                    lines += &registered(block, &name_property(class, &property.name));
                }
            }
            Kind::Data | Kind::Union => {}
        }
    }
    let module = if lines.is_empty() { "_module" } else { "module" };
    format!(
        "\n/// Adds the block to the native module.\n\
         pub(crate) fn register({module}: &Bound<'_, PyModule>) -> PyResult<()> {{\n{lines}    Ok(())\n}}\n"
    )
}

fn registered(block: &Block, name: &str) -> String {
    let native = native_function(block, name);
    format!("    module.setattr(\"{native}\", wrap_pyfunction!({name}, module)?)?;\n")
}

fn class(block: &Block, class: &Class) -> String {
    match class.kind {
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => native(block, class),
        Kind::Data | Kind::Union => plain::data(block, class),
        Kind::Names => plain::names(block, class),
        Kind::Module => {
            let functions = class.functions.iter();
            functions.map(|one| call::wrappers(class, one) + &call::function(block, class, one)).collect()
        }
    }
}

/// A class around a structure.
fn native(block: &Block, class: &Class) -> String {
    let name = &class.name;
    let traits = [
        (class.traits.equality, "eq", "PartialEq"),
        (class.traits.order, "ord", "PartialOrd"),
        (class.traits.hash, "hash", "Eq, Hash"),
    ];
    let used = traits.iter().filter(|(used, ..)| *used);
    let options: String = used.clone().map(|(_, option, _)| format!(", {option}")).collect();
    let derived = commas(used.map(|(.., derived)| *derived));
    let derived = if derived.is_empty() { derived } else { format!("#[derive({derived})]\n") };
    let inner = format!("interface::{name}");
    let inner = if class.secret { format!("crate::held::Held<{inner}>") } else { inner };
    let wrappers: String = class.functions.iter().map(|function| call::wrappers(class, function)).collect();
    let constants: String = class.constants.iter().map(constant).collect();
    let crosses = |one: &&Function| !(class.set && one.name == "members");
    let functions: String =
        class.functions.iter().filter(crosses).map(|one| call::function(block, class, one)).collect();
    format!(
        "{wrappers}\n{docs}#[pyclass(frozen{options}, module = \"{module}\")]\n{derived}\
         pub(crate) struct {name}(pub(crate) {inner}{slot});\n{holding}\n\
         #[pymethods]\nimpl {name} {{\n{constants}{functions}{set}{text}{copying}{collected}}}\n",
        docs = documented(&class.docs),
        slot = if class.has_hook() { ", crate::hook::Slot" } else { "" },
        holding = if class.secret || class.has_hook() { holding(class) } else { String::new() },
        module = dotted(block),
        set = set(class),
        text = text(block, class),
        copying = copying::methods(block, class),
        collected = hooks::collected(class),
    )
}

/// The conversion of a secret, which is kept behind a lock, or of an object with a hook.
fn holding(class: &Class) -> String {
    let name = &class.name;
    let held =
        if class.secret { format!("crate::held::Held::new(\"{name}\", made)") } else { "made".to_owned() };
    let slot = if class.has_hook() { ", crate::hook::Slot::default()" } else { "" };
    format!(
        "\nimpl From<interface::{name}> for {name} {{\n    fn from(made: interface::{name}) -> Self {{\n        \
         Self({held}{slot})\n    }}\n}}\n"
    )
}

/// A description as the comments of generated Rust.
fn documented(docs: &Docs) -> String {
    let docs = Style::Python.comment(docs, 0);
    docs.lines().filter(|line| *line != "\"\"\"").map(|line| format!("/// {line}\n")).collect()
}

fn constant(constant: &Constant) -> String {
    let docs: String = constant.docs.text.lines().map(|line| format!("    /// {line}\n")).collect();
    format!("{docs}    #[classattr]\n    const {}: u64 = {};\n\n", constant.name, constant.value)
}

/// The text of an object.
fn text(block: &Block, class: &Class) -> String {
    if class.kind == Kind::Value {
        return copying::shown(block, class);
    }
    let (py, text) = if class.secret {
        let closed = format!("unwrap_or_else(|_| \"{}(closed)\".to_owned())", class.name);
        (", py: Python<'_>", format!("py.detach(|| self.0.locked(|secret| secret.to_string())).{closed}"))
    } else if may_wait(class) {
        (", py: Python<'_>", "py.detach(|| self.0.to_string())".to_owned())
    } else if class.hex {
        ("", format!("format!(\"{}({{}})\", self.0)", class.name))
    } else {
        ("", "self.0.to_string()".to_owned())
    };
    let shown = format!("    fn __repr__(&self{py}) -> String {{\n        {text}\n    }}\n");
    if !class.hex {
        return shown;
    }
    format!(
        "    /// Returns the bytes in hexadecimal digits.\n    \
         fn __str__(&self) -> String {{\n        self.0.to_string()\n    }}\n\n{shown}"
    )
}

/// What a set of members is in Python.
fn set(class: &Class) -> String {
    if !class.set {
        return String::new();
    }
    let members = if may_wait(class) { "py.detach(|| self.0.members())" } else { "self.0.members()" };
    let mut text = format!(
        "    /// Iterates over the members at this time, ascending.\n    \
         fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {{\n        \
         pyo3::types::PyList::new(py, {members})?.try_iter()\n    }}\n\n"
    );
    if class.traits.equality {
        text += "    /// Returns another set of the same members.\n    \
                 fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {\n        \
                 crate::pickle::copied(slf)\n    }\n\n";
    }
    let name = &class.name;
    let operators = SET_OPERATORS.iter().filter(|(_, function)| class.function(function).is_some());
    for (operator, function) in operators {
        let (parameter, argument) = match *function {
            "complement" => ("", ""),
            _ => (", other: &Self", "&other.0"),
        };
        text += &format!(
            "    fn {operator}(&self{parameter}) -> {name} {{\n        {name}(self.0.{function}({argument}))\n    }}\n\n"
        );
    }
    text
}
