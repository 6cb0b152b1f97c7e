//! The classes of the package for Kotlin and Java: one file per block. Calls of native functions are in `call`.

mod call;

use crate::docs::Style;
use crate::kotlin_glue::{crosses, is_completed, is_field, properties};
use crate::model::{Block, Class, Constant, Function, Kind, Parameter, Role, Type};
use crate::names::{camel, free_function, pascal};
use call::{argument, call, lifted, parameter_type, type_name};

/// The package of a block.
#[must_use]
pub fn package(block: &Block) -> String {
    let module = block.module.as_ref().map(|module| format!(".{}", module.replace('/', ".")));
    format!("org.quorate{}", module.unwrap_or_default())
}

/// Writes the file of a block.
#[must_use]
pub fn emit(block: &Block) -> String {
    let top = block.classes.iter().filter(|class| class.within.is_none());
    let classes = top.fold(String::new(), |all, one| all + "\n" + &class(block, one));
    let own = if block.module.is_some() { "import org.quorate.*\n" } else { "" };
    let predicate = if classes.contains("Predicate<") { "import java.util.function.Predicate\n" } else { "" };
    let internal = "import org.quorate.internal.*\n";
    format!("package {}\n\n{predicate}{own}{internal}{classes}", package(block))
}

fn class(block: &Block, class: &Class) -> String {
    let docs = Style::Kotlin.comment(&class.docs, 0);
    let (head, mut parts) = match class.kind {
        Kind::Value if is_completed(class) => completed(block, class),
        Kind::Value => value(block, class),
        Kind::Encoded => encoded(block, class),
        Kind::Record => record(block, class),
        _ => object(block, class),
    };
    let crossing: Vec<&Function> = class.functions.iter().filter(|one| crosses(class, one)).collect();
    let on_objects = crossing.iter().filter(|one| one.has_receiver());
    parts.extend(on_objects.map(|one| function(block, class, one)));
    parts.extend(comparison(class));
    let nested = block.classes.iter().filter(|one| one.within.as_ref() == Some(&class.name));
    parts.extend(nested.map(|one| self::class(block, one)));
    let shared = shared(block, class, &crossing);
    if !shared.is_empty() {
        parts.push(format!("public companion object {{\n{}}}\n", indented(&shared.join("\n"))));
    }
    format!("{docs}{head} {{\n{}}}\n", indented(&parts.join("\n")))
}

/// What belongs to the class and not to an object.
fn shared(block: &Block, class: &Class, crossing: &[&Function]) -> Vec<String> {
    let within = block.constants.iter().filter(|one| one.within.as_ref() == Some(&class.name));
    let mut shared: Vec<String> = class.constants.iter().chain(within).map(constant).collect();
    let statics = crossing.iter().filter(|one| matches!(one.role, Role::Static | Role::Variant));
    shared.extend(
        statics.map(|one| if one.is_constant() { variant(class, one) } else { function(block, class, one) }),
    );
    if let Some(decode) = class.function("decode").filter(|_| class.kind == Kind::Encoded) {
        let docs = Style::Kotlin.function(decode, 0);
        let name = &class.name;
        shared.push(format!(
            "{docs}@JvmStatic\npublic fun decode(bytes: ByteArray): {name} = {name}(bytes.clone())\n"
        ));
    }
    if class.kind == Kind::Value && !is_completed(class) && block.module.is_some() {
        shared.push(from_native(block, class));
    }
    shared
}

fn constant(constant: &Constant) -> String {
    let docs = Style::Kotlin.comment(&constant.docs, 0);
    format!("{docs}public const val {}: Int = {}\n", constant.name, constant.value)
}

fn variant(class: &Class, function: &Function) -> String {
    let docs = Style::Kotlin.function(function, 0);
    let native = camel(&free_function(&class.native, &function.name));
    let (constant, name) = (function.name.to_uppercase(), &class.name);
    format!("{docs}@JvmField\npublic val {constant}: {name} = decode(translated {{ {native}() }})\n")
}

/// A data class of the constructor's arguments.
fn value(block: &Block, class: &Class) -> (String, Vec<String>) {
    let Some(constructor) = class.constructor() else { return (String::new(), Vec::new()) };
    let declared = |one: &Parameter| {
        let kind = type_name(&one.kind);
        let name = camel(&one.name);
        match one.kind {
            // Kotlin gives a function with an unsigned type a name that Java cannot call.
            Type::U64 => format!("@get:JvmName(\"get{}\") public val {name}: {kind}", pascal(&one.name)),
            _ => format!("public val {name}: {kind}"),
        }
    };
    let properties: Vec<String> = constructor.parameters.iter().map(declared).collect();
    let arguments: Vec<String> =
        constructor.parameters.iter().map(|one| argument(block, constructor, one)).collect();
    let native = format!(
        "@get:JvmSynthetic\ninternal val native: org.quorate.internal.{native} =\n    \
         org.quorate.internal.{native}({})\n",
        arguments.join(", "),
        native = class.native,
    );
    let mut members = vec![native];
    if constructor.fallible {
        let check = camel(&free_function(&class.native, "check"));
        members.push(format!("init {{\n    translated {{ {check}(native) }}\n}}\n"));
    }
    (format!("public data class {}({})", class.name, properties.join(", ")), members)
}

/// The data class of a native record.
fn from_native(block: &Block, class: &Class) -> String {
    let arguments: Vec<String> = class
        .constructor()
        .map(|constructor| constructor.parameters.as_slice())
        .unwrap_or_default()
        .iter()
        .map(|one| lifted(block, &one.kind, &format!("native.{}", camel(&one.name))))
        .collect();
    format!(
        "@JvmSynthetic\ninternal fun fromNative(native: org.quorate.internal.{}): {name} =\n    {name}({})\n",
        class.native,
        arguments.join(", "),
        name = class.name,
    )
}

fn holding_record(class: &Class) -> String {
    format!(
        "public class {} internal constructor(@get:JvmSynthetic internal val native: org.quorate.internal.{}, hidden: Hidden = Hidden())",
        class.name, class.native
    )
}

/// A class of a native record, whose constructor only native code can complete.
fn completed(block: &Block, class: &Class) -> (String, Vec<String>) {
    let mut members: Vec<String> =
        class.constructor().map(|one| constructor(block, class, one)).into_iter().collect();
    members
        .extend(class.getters().filter(|one| is_field(class, one)).map(|one| property(block, one, "native")));
    (holding_record(class), members)
}

/// A class of its properties.
fn record(block: &Block, class: &Class) -> (String, Vec<String>) {
    let members = properties(class).map(|(one, kind)| {
        if one.role == Role::Getter {
            return property(block, one, "native");
        }
        let docs = Style::Kotlin.function(one, 0);
        let value = copied(block, kind, &format!("native.{}", camel(&one.name)));
        format!("{docs}public fun {}(): {} = {value}\n", camel(&one.name), type_name(kind))
    });
    (holding_record(class), members.collect())
}

/// A class of its encoding, whose properties are read once.
fn encoded(block: &Block, class: &Class) -> (String, Vec<String>) {
    let head = format!(
        "public class {} private constructor(@get:JvmSynthetic internal val raw: ByteArray)",
        class.name
    );
    let fields = camel(&free_function(&class.native, "fields"));
    let mut members = vec![format!("private val fields = translated {{ {fields}(raw) }}\n")];
    members.extend(class.getters().map(|getter| property(block, getter, "fields")));
    (head, members)
}

/// A property whose value is a field.
fn property(block: &Block, getter: &Function, fields: &str) -> String {
    let Some(result) = &getter.result else { return String::new() };
    let name = camel(&getter.name);
    let value = copied(block, result, &format!("{fields}.{name}"));
    let docs = Style::Kotlin.function(getter, 0);
    let java = match result {
        Type::U64 => format!("@get:JvmName(\"get{}\")\n", pascal(&getter.name)),
        _ => String::new(),
    };
    format!("{docs}{java}public val {name}: {} get() = {value}\n", type_name(result))
}

/// A native object.
fn object(block: &Block, class: &Class) -> (String, Vec<String>) {
    let (name, native) = (&class.name, format!("org.quorate.internal.{}", class.native));
    let base = if is_encoded_object(class) { "EncodedObject" } else { "NativeObject" };
    let head = format!(
        "public class {name} private constructor(@get:JvmSynthetic internal val cell: Cell<{native}>) : {base}(cell)"
    );
    let mut members = vec![format!(
        "internal constructor(native: {native}, hidden: Hidden = Hidden()) : this(Cell(native, \"{name}\"))\n"
    )];
    members.extend(class.constructor().map(|one| constructor(block, class, one)));
    (head, members)
}

fn is_encoded_object(class: &Class) -> bool {
    class.traits.equality && class.function("encode").is_some_and(|encode| encode.parameters.is_empty())
}

fn constructor(block: &Block, class: &Class, function: &Function) -> String {
    let docs = Style::Kotlin.function(function, 0);
    let parameters: Vec<String> = function.parameters.iter().map(|one| parameter(block, one)).collect();
    format!(
        "{docs}{}public constructor({}) : this({})\n",
        overloads(function),
        parameters.join(", "),
        call(block, class, function, None),
    )
}

/// The members that compare and describe objects.
fn comparison(class: &Class) -> Vec<String> {
    let name = &class.name;
    let encode = class.function("encode").map(|encode| Style::Kotlin.function(encode, 0));
    match class.kind {
        Kind::Encoded => vec![
            format!("{}public fun encode(): ByteArray = raw.clone()\n", encode.unwrap_or_default()),
            format!(
                "override fun equals(other: Any?): Boolean = other is {name} && raw.contentEquals(other.raw)\n"
            ),
            "override fun hashCode(): Int = raw.contentHashCode()\n".to_owned(),
            "override fun toString(): String = fields.text\n".to_owned(),
        ],
        Kind::Record if encode.is_some() => vec![
            format!(
                "override fun equals(other: Any?): Boolean = other is {name} && native.encode.contentEquals(other.native.encode)\n"
            ),
            "override fun hashCode(): Int = native.encode.contentHashCode()\n".to_owned(),
            "override fun toString(): String = native.text\n".to_owned(),
        ],
        Kind::Value if is_completed(class) => by_properties(class),
        Kind::Value => Vec::new(),
        Kind::Record => by_properties(class),
        _ => {
            let text = camel(&free_function(&class.native, "text"));
            vec![format!("override fun toString(): String = shown {{ cell.call {{ {text}(it) }} }}\n")]
        }
    }
}

fn by_properties(class: &Class) -> Vec<String> {
    let all = || class.getters().filter(|one| class.kind == Kind::Record || is_field(class, one));
    let equal = all().map(|getter| {
        let name = camel(&getter.name);
        match getter.result {
            Some(Type::Bytes) => format!("{name}.contentEquals(other.{name})"),
            _ => format!("{name} == other.{name}"),
        }
    });
    let hashes = all().map(|getter| {
        let name = camel(&getter.name);
        match getter.result {
            Some(Type::Bytes) => format!("{name}.contentHashCode()"),
            _ => name,
        }
    });
    vec![
        format!(
            "override fun equals(other: Any?): Boolean =\n    other is {} && {}\n",
            class.name,
            equal.collect::<Vec<_>>().join(" && ")
        ),
        format!(
            "override fun hashCode(): Int = java.util.Objects.hash({})\n",
            hashes.collect::<Vec<_>>().join(", ")
        ),
        "override fun toString(): String = native.text\n".to_owned(),
    ]
}

fn function(block: &Block, class: &Class, function: &Function) -> String {
    let docs = Style::Kotlin.function(function, 0);
    let annotation = if function.has_receiver() { "" } else { "@JvmStatic\n" };
    let name = camel(&function.name);
    let result = function.result.as_ref().map_or("Unit".to_owned(), type_name);
    let value = call(block, class, function, function.result.as_ref());
    if function.role == Role::Getter {
        let java = match function.result {
            Some(Type::U64) => format!("@get:JvmName(\"get{}\")\n", pascal(&function.name)),
            _ => String::new(),
        };
        return format!("{docs}{java}public val {name}: {result} get() =\n    {value}\n");
    }
    let is_override = is_encoded_object(class) && class.kind == Kind::Object && name == "encode";
    let modifier = if is_override { "override" } else { "public" };
    let parameters: Vec<String> = function.parameters.iter().map(|one| parameter(block, one)).collect();
    let parameters = parameters.join(", ");
    let overloads = overloads(function);
    format!("{docs}{annotation}{overloads}{modifier} fun {name}({parameters}): {result} =\n    {value}\n")
}

/// Kotlin's defaults as overloads for Java.
fn overloads(function: &Function) -> &'static str {
    let is_optional = |one: &Parameter| matches!(one.kind, Type::Optional(_)) || one.choice.is_some();
    if function.parameters.iter().any(is_optional) { "@JvmOverloads\n" } else { "" }
}

fn parameter(block: &Block, parameter: &Parameter) -> String {
    let name = camel(&parameter.name);
    match (&parameter.kind, &parameter.choice) {
        (Type::List(item), Some(choice)) => {
            let item = type_name(item);
            format!("{name}: Predicate<{item}> = Predicate {{ it.{} }}", camel(&choice.default))
        }
        (Type::Optional(inner), _) => format!("{name}: {}? = null", parameter_type(block, inner)),
        (other, _) => format!("{name}: {}", parameter_type(block, other)),
    }
}

/// A result that the caller may change.
fn copied(block: &Block, kind: &Type, value: &str) -> String {
    match kind {
        Type::Bytes => format!("{value}.clone()"),
        Type::List(item) if **item == Type::Bytes => format!("{value}.map {{ it.clone() }}"),
        other => lifted(block, other, value),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}
