//! Rust that wasm-bindgen exports to JavaScript: one handle per structure, and functions of the same names as Node's.

mod crossing;
mod data;

use crate::model::{Block, Class, Function, Kind, Listed, Type};
use crate::names::{camel, commas, free_function, import, import_interface};
use crossing::{argument, converted, declared, held, list, may_fail, result_type};

/// Writes the module of a block. What only the whole package has is in a module within it.
#[must_use]
pub fn emit(block: &Block) -> String {
    let items: Vec<Item> = block.classes.iter().flat_map(|one| class(block, one)).collect();
    let is_within = |item: &Item| item.full && !block.full;
    let code: String = items.iter().filter(|item| !is_within(item)).map(|item| item.code.as_str()).collect();
    let full: String = items.iter().filter(|item| is_within(item)).map(|item| item.code.as_str()).collect();
    if full.is_empty() {
        return imports(block, &code) + &code;
    }
    let natives: Vec<String> =
        block.classes.iter().flat_map(|one| [one.native.clone(), format!("{}List", one.native)]).collect();
    let defined: Vec<&str> = natives
        .iter()
        .map(String::as_str)
        .filter(|name| code.contains(&format!("pub struct {name}(")))
        .collect();
    format!(
        "{}{code}\n#[cfg(feature = \"full\")]\npub use full::*;\n\n#[cfg(feature = \"full\")]\nmod full {{\n{}{}{full}}}\n",
        imports(block, &code),
        imports(block, &full),
        import("super", &defined, &full),
    )
}

/// A part of the module.
struct Item {
    code: String,
    /// True if only the whole package has it.
    full: bool,
}

fn imports(block: &Block, code: &str) -> String {
    let heads = [
        import("std::num", &["NonZeroU16"], code),
        import("std::rc", &["Rc"], code),
        import("std::time", &["Duration"], code),
        import_interface(&block.path, code),
        import("wasm_bindgen::prelude", &["JsValue", "wasm_bindgen"], code),
        import("zeroize", &["Zeroizing"], code),
        "\n".to_owned(),
        import("crate::glue", &["JsResult", "OrThrow", "Uint8Array"], code),
        import("crate", &["glue", "lists"], code),
    ];
    heads.concat()
}

fn class(block: &Block, class: &Class) -> Vec<Item> {
    match class.kind {
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => object(block, class),
        Kind::Data | Kind::Union => vec![Item { code: data::function(block, class), full: class.full }],
        Kind::Names => Vec::new(),
        Kind::Module => functions(block, class).collect(),
    }
}

fn functions(block: &Block, class: &Class) -> impl Iterator<Item = Item> {
    let one = |one: &Function| Item { code: function(block, class, one), full: class.full || one.full };
    class.functions.iter().map(one).collect::<Vec<_>>().into_iter()
}

fn object(block: &Block, class: &Class) -> Vec<Item> {
    let native = &class.native;
    let held = held(block, class);
    let item = |code: String| Item { code, full: class.full };
    // Functions that users call only through others of the interface.
    let special = |name: &str, more: &str, result: &str, value: &str| {
        let name = free_function(native, name);
        item(format!(
            "\n#[wasm_bindgen(js_name = {})]\npub fn {name}(receiver: &{native}{more}) -> {result} {{\n    {value}\n}}\n",
            camel(&name)
        ))
    };
    let structure = item(format!("\n#[wasm_bindgen]\npub struct {native}(pub(crate) {held});\n"));
    let list = class
        .listed
        .map(|listed| Item { code: several(native, &held), full: class.full || listed == Listed::Full });
    // True once a secret is used up.
    let spent = class.spent.as_ref().map(|name| special(name, "", "bool", &format!("receiver.0.{name}()")));
    let text = || special("text", "", "JsValue", "glue::text(&receiver.0)");
    let text = class.hex_source().is_none().then(text);
    let other = format!(", other: &{native}");
    let equality = || special("equals", &other, "bool", "receiver.0 == other.0");
    let equality = (class.traits.equality && class.equal_by().is_none()).then(equality);
    let first = [structure].into_iter().chain(list);
    first.chain(functions(block, class)).chain(spent).chain(text).chain(equality).collect()
}

/// A list of objects that JavaScript fills; also one or none, for which wasm-bindgen has no reference.
fn several(native: &str, held: &str) -> String {
    format!(
        "\n#[wasm_bindgen]\n#[derive(Default)]\npub struct {native}List(pub(crate) Vec<{held}>);\n\n\
         #[wasm_bindgen]\nimpl {native}List {{\n    pub fn empty() -> Self {{\n        Self::default()\n    }}\n\n    \
         pub fn add(&mut self, item: &{native}) {{\n        self.0.push(Clone::clone(&item.0));\n    }}\n}}\n"
    )
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let receiver = function.has_receiver().then(|| format!("receiver: &{}", class.native));
    let target = if function.has_receiver() { "receiver.0.".to_owned() } else { class.scope() };
    let secret = class.secret && !function.has_receiver();
    let parameters = function.crossing().flat_map(|one| declared(block, one, secret));
    let parameters = commas(receiver.into_iter().chain(parameters));
    let lists: String = function.parameters.iter().map(|one| list(block, one)).collect();
    let arguments = commas(function.parameters.iter().map(|one| argument(block, one, secret)));
    let call = format!("{target}{}({arguments})", function.name);
    let call = if function.asks() { format!("glue::accuse(|attested| {call})") } else { call };
    let call = if function.fallible { format!("{call}.or_throw()") } else { call };
    let made = if function.fallible { format!("{call}?") } else { call.clone() };
    let (result, converted) = match &function.result {
        None => ("()".to_owned(), None),
        Some(_) if function.asks() => ("JsValue".to_owned(), None),
        Some(result) => (result_type(block, result), converted(block, result, &made)),
    };
    let fails = function.fallible || function.parameters.iter().any(|one| may_fail(block, &one.kind));
    let value = match converted {
        Some(value) if fails => format!("Ok({value})"),
        None if fails && !function.fallible && function.result.is_none() => format!("{call};\n    Ok(())"),
        None if fails && !function.fallible => format!("Ok({call})"),
        value => value.unwrap_or(call),
    };
    let result = if fails { format!("JsResult<{result}>") } else { result };
    let shows =
        class.secret && function.result.as_ref().is_some_and(|one| *one.innermost() == Type::SecretBytes);
    let value = if secret || shows {
        // Bytes that are left on the stack could end up in the unused part of a later value.
        format!("let made = {value};\n    glue::clear_stack();\n    made")
    } else {
        value
    };
    let name = free_function(&class.native, &function.name);
    format!(
        "\n#[wasm_bindgen(js_name = {js})]\npub fn {name}({parameters}) -> {result} {{\n{lists}    {value}\n}}\n",
        js = camel(&name),
    )
}
