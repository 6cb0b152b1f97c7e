//! The classes of both packages for JavaScript, which share them but for functions that run on other threads, which only
//! Node has. The compiler writes their declarations.

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Function, Parameter, Role, Type};
use crate::names::{camel, free_function, import_typescript, javascript, pascal, snake};
use crate::python::candidates;

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
    let constants: String = block.constants.iter().map(|one| "\n".to_owned() + &constant(one)).collect();
    let classes: String = block.classes.iter().map(|one| class(block, one, package)).collect();
    let names: Vec<&str> = block.classes.iter().map(|class| class.name.as_str()).collect();
    let check =
        if classes.contains("check.") { "import * as check from '../common/check.js';\n" } else { "" };
    let backend = ["byteStrings", "native", "objects", "optionalObject"];
    let handle = ["Handle", "TOKEN", "named", "open", "opener", "wrap", "wrapAll", "wrapMaybe"];
    let off_thread = import_typescript("./offthread.js", &["AsyncOptions", "offThread"], &classes);
    let suite = if block.mentions(&Type::Suite) { "import type { Suite } from './suites.js';\n" } else { "" };
    format!(
        "{head}\n{check}{backend}{handle}{off_thread}{suite}{constants}{classes}\nnamed({{ {names} }});\n",
        head = Style::TypeScript.comment(&block.docs, 0),
        backend = import_typescript("./backend.js", &backend, &classes),
        handle = import_typescript("./handle.js", &handle, &format!("{classes} named")),
        off_thread = off_thread.replace("AsyncOptions", "type AsyncOptions"),
        names = names.join(", "),
    )
}

fn constant(constant: &Constant) -> String {
    let docs = Style::TypeScript.comment(&constant.docs, 0);
    format!("{docs}export const {} = {};\n", constant.name, constant.value)
}

/// A constant of a class: a property that cannot be written.
fn class_constant(constant: &Constant) -> String {
    let docs = Style::TypeScript.comment(&constant.docs, 2);
    format!("{docs}  static get {}(): number {{\n    return {};\n  }}\n", constant.name, constant.value)
}

/// True if a function is a property in JavaScript: a list, which the caller may change, is returned by a method.
fn is_property(function: &Function) -> bool {
    function.role == Role::Getter && !function.result.as_ref().is_some_and(Type::is_list)
}

/// The name of a function in JavaScript.
fn name(function: &Function) -> String {
    if function.role == Role::Variant { pascal(&function.name) } else { javascript(&function.name) }
}

fn class(block: &Block, class: &Class, package: Package) -> String {
    let name = &class.name;
    let docs = Style::TypeScript.comment(&class.docs, 0);
    // It makes the class differ in type from others with the same members.
    let brand = "  declare private readonly brand: never;\n";
    let constants: String = class.constants.iter().map(class_constant).collect();
    let constructor =
        if class.constructor().is_none() { "  private constructor() {\n    super();\n  }\n" } else { "" };
    let functions: String = class.functions.iter().map(|one| function(block, class, one, package)).collect();
    let equality = format!(
        "  equals(other: {name}): boolean {{\n    return {};\n  }}\n",
        call(class, "equals", &[&receiver(class), &format!("open(other, {name}, 'other')")])
    );
    format!(
        "\n{docs}export class {name} extends Handle {{\n{brand}{constants}{constructor}{functions}{}  toString(): string {{\n    return {};\n  }}\n}}\n",
        if class.traits.equality { equality.as_str() } else { "" },
        call(class, "text", &[&receiver(class)]),
    )
}

/// A call of the native function of a class.
fn call(class: &Class, function: &str, arguments: &[&str]) -> String {
    format!("native.{}({})", camel(&free_function(&class.native, function)), arguments.join(", "))
}

fn receiver(class: &Class) -> String {
    format!("open(this, {})", class.name)
}

fn function(block: &Block, class: &Class, function: &Function, package: Package) -> String {
    let name = name(function);
    let receiver = function.has_receiver().then(|| receiver(class));
    let given = function.parameters.iter().map(|one| argument(block, function, one));
    let arguments: Vec<String> = receiver.into_iter().chain(given).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let call = call(class, &function.name, &arguments);
    let parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
    let parameters = parameters.join(", ");
    let body = match (&function.result, function.role) {
        (_, Role::Constructor) => format!("super(TOKEN, {call});"),
        (None, _) => format!("{call};"),
        (Some(result), _) => format!("return {};", converted(result, &call)),
    };
    let result = function.result.as_ref().map_or("void".to_owned(), type_name);
    let head = match function.role {
        Role::Constructor => format!("constructor({parameters})"),
        Role::Variant if function.is_constant() => format!("static get {name}(): {result}"),
        Role::Static | Role::Variant => format!("static {name}({parameters}): {result}"),
        _ if is_property(function) => format!("get {name}(): {result}"),
        _ => format!("{name}({parameters}): {result}"),
    };
    let slow = if function.is_slow() && package == Package::Node {
        off_thread(class, function, &arguments, &result)
    } else {
        String::new()
    };
    format!("{}  {head} {{\n    {body}\n  }}\n{slow}", docs(function))
}

/// The same as a promise; wrong arguments also reject it.
fn off_thread(class: &Class, function: &Function, arguments: &[&str], result: &str) -> String {
    let name = name(function);
    let arguments: Vec<&str> = arguments.iter().copied().chain(["flag"]).collect();
    let call = call(class, &format!("{}_async", function.name), &arguments);
    let parameters: String = function.parameters.iter().map(|one| parameter(one) + ", ").collect();
    let finish = function.result.as_ref().map(|result| converted(result, "made"));
    let finish = finish
        .filter(|converted| converted != "made")
        .map(|converted| format!(", (made) => {converted}"))
        .unwrap_or_default();
    format!(
        "  /** As {{@link {}.{name}}}, off this thread. */\n  {name}Async({parameters}options?: AsyncOptions): Promise<{result}> {{\n    \
         return offThread(options, (flag) => {call}{finish});\n  }}\n",
        class.name
    )
}

fn docs(function: &Function) -> String {
    // The description of a constructor is that of its class.
    if function.role == Role::Constructor && function.docs.errors.is_empty() {
        return String::new();
    }
    let mut described = function.clone();
    if function.role == Role::Getter && !is_property(function) {
        described.docs.text = returning(&function.docs.text);
    }
    Style::TypeScript.function(&described, 2)
}

/// The description of a property as that of a method: `The siblings.` as `Returns the siblings.`
fn returning(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    format!("Returns {}", first.into_iter().chain(letters).collect::<String>())
}

fn type_name(kind: &Type) -> String {
    match kind {
        Type::Text => "string".to_owned(),
        Type::Bytes => "Uint8Array".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::U64 => "bigint".to_owned(),
        Type::Suite => "Suite".to_owned(),
        Type::Class(name) => name.clone(),
        Type::List(item) => format!("{}[]", type_name(item)),
        Type::Optional(inner) => format!("{} | undefined", type_name(inner)),
        Type::U8 | Type::U16 | Type::U32 | Type::Size | Type::Length | Type::AnyLength => "number".to_owned(),
        _ => String::new(),
    }
}

fn parameter(parameter: &Parameter) -> String {
    let name = javascript(&parameter.name);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            format!(
                "{name}: (one: {}) => boolean = (one) => one.{}",
                type_name(item),
                javascript(&choice.default)
            )
        }
        (Type::List(item), None) => format!("{name}: Iterable<{}>", type_name(item)),
        (Type::Optional(inner), _) => format!("{name}?: {}", type_name(inner)),
        (other, _) => format!("{name}: {}", type_name(other)),
    }
}

/// The value that the caller gets for a result of the backend.
fn converted(kind: &Type, value: &str) -> String {
    match (kind, kind.inner()) {
        (Type::Class(class), _) => format!("wrap({class}, {value})"),
        (Type::List(_), Some(Type::Class(class))) => format!("wrapAll({class}, {value})"),
        (Type::Optional(_), Some(Type::Class(class))) => format!("wrapMaybe({class}, {value})"),
        (Type::Optional(_), _) => format!("{value} ?? undefined"),
        _ => value.to_owned(),
    }
}

/// The checked argument for the backend.
fn argument(block: &Block, function: &Function, parameter: &Parameter) -> String {
    let name = javascript(&parameter.name);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            let candidates = candidates(function, &choice.among, |one| javascript(&one.name));
            let chosen = format!("this.{candidates}.filter(check.callable({name}, '{name}'))");
            several(block, item, &chosen, &name, None)
        }
        (Type::List(item), None) => several(block, item, &name, &name, parameter.limit),
        (Type::Optional(inner), _) => match &**inner {
            Type::Class(class) => format!(
                "optionalObject('{}', check.optional(opener({class}))({name}, '{name}'))",
                native_name(block, class)
            ),
            inner => format!("check.optional({})({name}, '{name}')", check(inner)),
        },
        (Type::Suite, _) => format!("check.suite({name})"),
        (Type::Class(class), _) => format!("open({name}, {class}, '{name}')"),
        (other, _) => format!("{}({name}, '{name}')", check(other)),
    }
}

fn several(block: &Block, item: &Type, value: &str, name: &str, limit: Option<u64>) -> String {
    let limit = limit.map(|limit| format!(", {limit}")).unwrap_or_default();
    match item {
        Type::Class(class) => format!(
            "objects('{}', check.list({value}, '{name}', opener({class}){limit}))",
            native_name(block, class)
        ),
        _ => format!("byteStrings(check.list({value}, '{name}', check.bytes{limit}))"),
    }
}

/// The name of a native class, as the names of its functions begin.
fn native_name(block: &Block, class: &str) -> String {
    camel(&snake(&block.native(class)))
}

/// The function that checks a value.
fn check(kind: &Type) -> &'static str {
    match kind {
        Type::Text | Type::Suite => "check.string",
        Type::Bool => "check.boolean",
        Type::U8 => "check.u8",
        Type::U16 => "check.u16",
        Type::U32 | Type::Size => "check.u32",
        Type::U64 => "check.u64",
        Type::Length | Type::AnyLength => "check.length",
        _ => "check.bytes",
    }
}
