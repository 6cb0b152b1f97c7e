//! The classes of both packages for JavaScript. Only the frame differs between them: a CommonJS module for Node, and for
//! the web an ES module with a function that takes the access to the loaded WebAssembly module.

use crate::model::{Block, Class, Function, Parameter, Role, Type};
use crate::names::{camel, free_function, snake};

/// A package for JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// `quorate`, with a native library.
    Node,
    /// `quorate-wasm`, with WebAssembly.
    Web,
}

/// Writes the module with the classes of a block.
#[must_use]
pub fn emit(block: &Block, package: Package) -> String {
    let classes: String = block.classes.iter().map(|one| class(one, package)).collect();
    let names: Vec<&str> = block.classes.iter().map(|class| class.name.as_str()).collect();
    let names = names.join(", ");
    match package {
        Package::Node => format!(
            "'use strict';\n// {docs}\n\nconst native = require('../lib/native.js');\n\
             const {{ {CHECKS}, list }} = require('../lib/check.js');\n\
             const {{ {HANDLES}, named }} = require('../lib/handle.js');\n\n\
             const byteStrings = (values, what) => list(values, what, bytes);\n\n{classes}\
             module.exports = named({{ {names} }});\n",
            docs = block.docs.text,
        ),
        Package::Web => {
            let classes: String = classes.lines().map(indented).collect();
            format!(
                "// {docs}\n\nimport {{ {CHECKS} }} from '../js/check.js';\n\
                 import {{ {HANDLES} }} from '../js/handle.js';\nimport {{ fill }} from '../js/common.js';\n\n\
                 export function {name}Api(wasm) {{\n  \
                 const byteStrings = (values, what) => fill(wasm().ByteStrings.empty(), values, what, bytes);\n\n{classes}  return {{ {names} }};\n}}\n",
                docs = block.docs.text,
                name = camel(&block.name),
            )
        }
    }
}

/// The functions that check arguments.
const CHECKS: &str = "bytes, string, suite, u8, u32, u64";
/// The functions for native objects.
const HANDLES: &str = "Handle, TOKEN, open, wrap";

fn indented(line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }
}

/// True if a function is a property in JavaScript: a list, which the caller may change, is returned by a method.
#[must_use]
pub fn is_property(function: &Function) -> bool {
    function.role == Role::Getter && function.result != Some(Type::BytesList)
}

fn class(class: &Class, package: Package) -> String {
    let name = &class.name;
    let native = Native { class: name, package };
    let functions: String = class.functions.iter().map(|one| function(one, &native)).collect();
    let equality = format!(
        "  equals(other) {{\n    return {};\n  }}\n",
        native.call("equals", &[&native.receiver(), &format!("open(other, {name}, 'other')")])
    );
    format!(
        "class {name} extends Handle {{\n{functions}{}  toString() {{\n    return {};\n  }}\n}}\n\n",
        if class.equality { equality.as_str() } else { "" },
        native.call("text", &[&native.receiver()]),
    )
}

/// Calls of the native functions of a class.
struct Native<'a> {
    class: &'a str,
    package: Package,
}

impl Native<'_> {
    fn call(&self, function: &str, arguments: &[&str]) -> String {
        let access = if self.package == Package::Node { "native" } else { "wasm()" };
        format!("{access}.{}({})", camel(&free_function(self.class, function)), arguments.join(", "))
    }

    fn receiver(&self) -> String {
        format!("open(this, {})", self.class)
    }
}

fn function(function: &Function, native: &Native<'_>) -> String {
    let name = camel(&function.name);
    let receiver = matches!(function.role, Role::Method | Role::Getter).then(|| native.receiver());
    let arguments: Vec<String> =
        receiver.into_iter().chain(function.parameters.iter().map(argument)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let call = native.call(&function.name, &arguments);
    let parameters: Vec<String> = function.parameters.iter().map(|one| local(&one.name)).collect();
    let parameters = parameters.join(", ");
    let body = match (&function.result, function.role) {
        (_, Role::Constructor) => format!("super(TOKEN, {call});"),
        (None, _) => format!("{call};"),
        (Some(Type::Class(result)), _) => format!("return wrap({result}, {call});"),
        _ => format!("return {call};"),
    };
    let head = match function.role {
        Role::Constructor => format!("constructor({parameters})"),
        Role::Static => format!("static {name}({parameters})"),
        _ if is_property(function) => format!("get {name}()"),
        _ => format!("{name}({parameters})"),
    };
    format!("  {head} {{\n    {body}\n  }}\n")
}

/// A parameter's name in the code: one that hides none of the functions that check arguments.
fn local(name: &str) -> String {
    if CHECKS.split(", ").any(|check| snake(check) == name) {
        format!("{}Given", camel(name))
    } else {
        camel(name)
    }
}

fn argument(parameter: &Parameter) -> String {
    let (name, value) = (camel(&parameter.name), local(&parameter.name));
    match &parameter.kind {
        Type::Text => format!("string({value}, '{name}')"),
        Type::Bytes => format!("bytes({value}, '{name}')"),
        Type::BytesList => format!("byteStrings({value}, '{name}')"),
        Type::U8 => format!("u8({value}, '{name}')"),
        Type::U32 | Type::Size => format!("u32({value}, '{name}')"),
        Type::U64 => format!("u64({value}, '{name}')"),
        Type::Suite => format!("suite({value})"),
        Type::Class(class) => format!("open({value}, {class}, '{name}')"),
    }
}
