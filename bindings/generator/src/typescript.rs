//! The classes of both packages for JavaScript, which share them but for functions that run on other threads, which only
//! Node has. The compiler writes their declarations.

mod call;
mod crossing;
mod data;
mod hooks;
mod naming;

use crate::docs::Style;
use crate::model::{Block, Class, Constant, Function, Kind, Type};
use crate::names::{commas, import_typescript};
use call::function;
use crossing::OTHERS;
use naming::{native, receiver};

pub use naming::Package;
pub(crate) use naming::{is_property, name as function_name};

/// Writes the module of a block, if the package has it.
#[must_use]
pub fn emit(block: &Block, package: Package) -> Option<String> {
    match package {
        Package::Web if block.native => None,
        Package::Node | Package::Web => Some(module(block, package)),
        Package::Certificate => block.verification().map(|block| module(&block, package)),
    }
}

fn module(block: &Block, package: Package) -> String {
    let constants: String = block.constants.iter().map(|one| "\n".to_owned() + &constant(one)).collect();
    let classes: String = block.classes.iter().map(|one| class(block, one, package)).collect();
    let converters = data::converters(block, &classes);
    let objects = block.classes.iter().filter(|class| is_object(class));
    let named = commas(objects.map(|class| &class.name));
    let named = if named.is_empty() { named } else { format!("\nnamed({{ {named} }});\n") };
    let code = format!("{constants}{classes}{converters}{named}");
    format!("{}\n{}{code}", Style::TypeScript.comment(&block.docs, 0), imports(block, &code))
}

fn imports(block: &Block, code: &str) -> String {
    let check = if code.contains("check.") { "import * as check from '../common/check.js';\n" } else { "" };
    let words = |names: &'static str| names.split(' ').collect::<Vec<_>>();
    let backend =
        words("byteStrings errorOf native numberLists objects objectsOf optionalObject whenLoaded wide");
    let handle = words(
        "Handle Raw Secret TOKEN is maybe named open opener owning take verdict wrap wrapAll wrapMaybe",
    );
    let mut imports = vec![
        check.to_owned(),
        import_typescript("../common/hex.js", &["hex", "sameBytes"], code),
        import_typescript("../common/errors.js", &["QuorateError"], code).replace("{ ", "{ type "),
        import_typescript("./attested.js", &["Attested", "culpritOf"], code)
            .replace("Attested", "type Attested"),
        import_typescript("./backend.js", &backend, code),
        import_typescript("./handle.js", &handle, code).replace("Raw", "type Raw"),
        import_typescript("./hooks.js", &["answerOf", "answered", "setHook"], code),
        import_typescript("./offthread.js", &["AsyncOptions", "offThread"], code)
            .replace("AsyncOptions", "type AsyncOptions"),
    ];
    let own = |name: &str| block.classes.iter().any(|class| class.name == name);
    imports.extend(
        OTHERS
            .iter()
            .filter(|(_, name)| !own(name))
            .map(|(module, name)| import_typescript(module, &[*name], code)),
    );
    let others = || block.imported.iter().chain(&block.reachable);
    let mut homes: Vec<&str> = others().map(|class| class.home.block.as_str()).collect();
    homes.sort_unstable();
    homes.dedup();
    for home in homes {
        let classes = others().filter(|class| class.home.block == home);
        let names: Vec<&str> = classes.map(|class| class.name.as_str()).collect();
        imports.push(import_typescript(&format!("./{home}.js"), &names, code));
    }
    imports.concat()
}

fn constant(constant: &Constant) -> String {
    let docs = Style::TypeScript.comment(&constant.docs, 0);
    format!("{docs}export const {} = {};\n", constant.name, number(constant))
}

/// A constant of a class: a property that cannot be written.
fn class_constant(constant: &Constant) -> String {
    let docs = Style::TypeScript.comment(&constant.docs, 2);
    let kind = if is_big(constant) { "bigint" } else { "number" };
    format!("{docs}  static get {}(): {kind} {{\n    return {};\n  }}\n", constant.name, number(constant))
}

/// A number that JavaScript's floating-point numbers do not have.
fn is_big(constant: &Constant) -> bool {
    constant.value >= 1 << 53
}

fn number(constant: &Constant) -> String {
    format!("{}{}", constant.value, if is_big(constant) { "n" } else { "" })
}

/// True if JavaScript has objects of the class.
fn is_object(class: &Class) -> bool {
    !class.plain && matches!(class.kind, Kind::Value | Kind::Encoded | Kind::Record | Kind::Object)
}

fn class(block: &Block, class: &Class, package: Package) -> String {
    match class.kind {
        _ if class.plain => data::plain(class),
        Kind::Value | Kind::Encoded | Kind::Record | Kind::Object => object(block, class, package),
        Kind::Data => data::interface(class),
        Kind::Union => data::union(class),
        Kind::Names => data::names(class),
        Kind::Module => {
            class.functions.iter().map(|one| format!("\n{}", function(block, class, one, package))).collect()
        }
    }
}

fn object(block: &Block, class: &Class, package: Package) -> String {
    let name = &class.name;
    let docs = Style::TypeScript.comment(&class.docs, 0);
    // It makes the class differ in type from others with the same members.
    let brand = "  declare private readonly brand: never;\n";
    let constants: String = class.constants.iter().map(class_constant).collect();
    let constructor =
        if class.constructor().is_none() { "  private constructor() {\n    super();\n  }\n" } else { "" };
    let functions: String = class.functions.iter().map(|one| function(block, class, one, package)).collect();
    let equality = format!("  equals(other: {name}): boolean {{\n{}  }}\n", equality(class));
    let text = text(class, &receiver(class));
    let (base, text) = if class.secret {
        ("Secret", format!("this.closed ? '{name}(closed)' : {text}"))
    } else {
        ("Handle", text)
    };
    let more = [
        (class.traits.equality, equality),
        (class.spent.is_some(), closed(class)),
        (class.hex && class.traits.order, comparison(class)),
        (class.hex, "  toJSON(): string {\n    return this.toString();\n  }\n".to_owned()),
        (class.set, "  toJSON(): number[] {\n    return [...this];\n  }\n".to_owned()),
    ];
    let more: String = more.into_iter().filter(|(has, _)| *has).map(|(_, text)| text).collect();
    let base = if class.set { format!("{base} implements Iterable<number>") } else { base.to_owned() };
    format!(
        "\n{docs}export class {name} extends {base} {{\n{brand}{constants}{constructor}{functions}{more}  toString(): string {{\n    return {text};\n  }}\n}}\n"
    )
}

/// The text of an object with this handle.
fn text(class: &Class, raw: &str) -> String {
    match class.hex_source() {
        Some(source) => format!("hex({})", native(class, &source.name, raw)),
        None => native(class, "text", raw),
    }
}

/// Compares encodings, or native objects.
fn equality(class: &Class) -> String {
    let (own, other) = (receiver(class), format!("open(other, {}, 'other')", class.name));
    let Some(functions) = class.equal_by() else {
        return format!("    return {};\n", native(class, "equals", &format!("{own}, {other}")));
    };
    let same = |function: &&Function| {
        let [own, others] = ["own", "others"].map(|raw| native(class, &function.name, raw));
        if function.result == Some(Type::Bytes) {
            format!("sameBytes({own}, {others})")
        } else {
            format!("{own} === {others}")
        }
    };
    let all: Vec<String> = functions.iter().map(same).collect();
    format!("    const [own, others] = [{own}, {other}];\n    return {};\n", all.join(" && "))
}

/// The order of the text is that of the bytes.
fn comparison(class: &Class) -> String {
    let name = &class.name;
    format!(
        "  /** Negative if this one is smaller, positive if the other is. For `sort`. */\n  compare(other: {name}): number {{\n    \
         const [own, others] = [open(this, {name}), open(other, {name}, 'other')].map((raw) => {}) as [string, string];\n    \
         return own < others ? -1 : own > others ? 1 : 0;\n  }}\n",
        text(class, "raw"),
    )
}

/// A secret that is used up counts as closed.
fn closed(class: &Class) -> String {
    let spent = class.spent.as_deref().map(|name| native(class, name, &receiver(class))).unwrap_or_default();
    format!("  override get closed(): boolean {{\n    return super.closed || {spent};\n  }}\n")
}
