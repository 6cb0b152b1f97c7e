//! In which form classes, functions and parameters cross.

use crate::model::{Class, Function, Kind, Parameter, Role, Type};

/// True if Kotlin calls the function: not for a property of which it has the value, and not for the coding of a class
/// that is its encoding.
pub(crate) fn crosses(class: &Class, function: &Function) -> bool {
    let is_coding = class
        .plain_encoding()
        .is_some_and(|(decode, encode)| [&decode.name, &encode.name].contains(&&function.name));
    match (class.kind, function.role) {
        (_, Role::Constructor) => matches!(class.kind, Kind::Object | Kind::Encoded) || is_completed(class),
        (Kind::Encoded, Role::Static | Role::Method) => !is_coding,
        (Kind::Record, Role::Method) => false,
        (_, Role::Static | Role::Variant | Role::Method) => true,
        (Kind::Object | Kind::Names, Role::Getter) => true,
        (Kind::Value, Role::Getter) => !is_field(class, function),
        (_, Role::Getter) => false,
    }
}

/// True if the constructor of a value has parameters whose defaults only native code knows, or that Java cannot pass to
/// a constructor.
pub(crate) fn is_completed(class: &Class) -> bool {
    let is_special = |one: &Parameter| match one.kind {
        Type::Optional(_) => one.default.is_none(),
        ref kind => *kind == Type::U64,
    };
    class.kind == Kind::Value && class.made_of().iter().any(is_special)
}

/// True for the property that is a parameter of a value's constructor.
pub(crate) fn is_field(class: &Class, function: &Function) -> bool {
    class.made_of().iter().any(|parameter| parameter.name == function.name)
}

/// True for an object that is equal to others of the same encoding.
pub(crate) fn is_encoded_object(class: &Class) -> bool {
    let encode = class.function("encode").is_some_and(|encode| encode.parameters.is_empty());
    class.kind == Kind::Object && class.traits.equality && encode
}

/// True for an object of a suite that is equal to others of the same suite and encoding.
pub(crate) fn has_suite(class: &Class) -> bool {
    let mut getters = class.getters();
    is_encoded_object(class) && getters.any(|one| one.result == Some(Type::Suite))
}

/// True for bytes of a secret, which Kotlin lends instead of copying.
pub(crate) fn is_lent(class: &Class, function: &Function, parameter: &Parameter) -> bool {
    let is_secret = class.secret && !function.has_receiver();
    parameter.kind == Type::Bytes && (is_secret || parameter.secret)
}

/// The properties of a record, and the results of its methods.
pub(crate) fn properties(class: &Class) -> impl Iterator<Item = (&Function, &Type)> {
    let crossing = class.functions.iter().filter(|function| function.has_receiver());
    crossing.filter_map(|function| Some((function, function.result.as_ref()?)))
}
