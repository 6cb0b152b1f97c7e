//! The attributes in `#[cfg_attr(binding, …)]`, and the types of the interface.

use syn::{
    Attribute, Expr, ExprLit, GenericArgument, Lit, Meta, PathArguments, Token, punctuated::Punctuated,
};

use crate::model::Type;

type Outcome<T> = Result<T, String>;

/// The attributes of an item.
pub(crate) struct Marks(Vec<Meta>);

impl Marks {
    const KNOWN: &[&str] = &[
        "value", "encoded", "record", "object", "secret", "within", "getter", "computed", "variant", "quick",
        "slow", "size", "stateful", "hook", "answer", "of", "early", "hex", "plain", "text", "spent", "set",
        "fields", "overload", "option", "limit", "among", "default", "module", "instead",
    ];

    pub(crate) fn read(attributes: &[Attribute]) -> Outcome<Self> {
        let mut marks = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("cfg_attr")) {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            let listed = attribute.parse_args_with(parse).map_err(|error| error.to_string())?;
            if listed.first().is_some_and(|first| first.path().is_ident("binding")) {
                marks.extend(listed.into_iter().skip(1));
            }
        }
        match marks.iter().find(|mark| !Self::KNOWN.iter().any(|known| mark.path().is_ident(known))) {
            None => Ok(Self(marks)),
            Some(_) => Err(format!("an attribute is none of {:?}", Self::KNOWN)),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|mark| mark.path().is_ident(name))
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.literal(name).and_then(text_of)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.literal(name).and_then(number_of).and_then(|number| number.try_into().ok())
    }

    fn literal(&self, name: &str) -> Option<&Expr> {
        self.0.iter().find(|mark| mark.path().is_ident(name)).and_then(|mark| match mark {
            Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        })
    }
}

/// The text of a literal.
pub(crate) fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// The number of a literal.
pub(crate) fn number_of(value: &Expr) -> Option<u128> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

/// The names that the types of a function refer to.
pub(crate) struct Scope<'a> {
    /// The class of the function, for `Self`.
    pub(crate) class: &'a str,
    /// The classes of the block, and those that it imports.
    pub(crate) classes: &'a [String],
}

impl Scope<'_> {
    /// The type of a parameter, a result or a field.
    pub(crate) fn type_of(&self, written: &syn::Type) -> Outcome<Type> {
        let is_byte = |written: &syn::Type| last_name(written).is_some_and(|name| name == "u8");
        match written {
            syn::Type::Reference(reference) => return self.type_of(&reference.elem),
            syn::Type::Slice(slice) if is_byte(&slice.elem) => return Ok(Type::Bytes),
            syn::Type::Array(array) if is_byte(&array.elem) => return Ok(Type::Bytes),
            syn::Type::Slice(slice) => return self.list_of(&slice.elem),
            _ => {}
        }
        if let Some(inner) = inside(written, "Option") {
            return Ok(Type::Optional(Box::new(self.type_of(inner)?)));
        }
        if let Some(inner) = inside(written, "Result") {
            return Ok(Type::Verdict(Box::new(self.type_of(inner)?)));
        }
        if let syn::Type::Tuple(tuple) = written {
            return tuple
                .elems
                .iter()
                .map(|part| self.type_of(part))
                .collect::<Outcome<_>>()
                .map(Type::Tuple);
        }
        match inside(written, "Vec") {
            Some(item) if is_byte(item) => Ok(Type::Bytes),
            Some(item) => self.list_of(item),
            None => self.named(&last_name(written).unwrap_or_default()),
        }
    }

    fn list_of(&self, item: &syn::Type) -> Outcome<Type> {
        match self.type_of(item)? {
            item @ (Type::Bytes | Type::Class(_) | Type::Text) => Ok(Type::List(Box::new(item))),
            item @ (Type::Tuple(_) | Type::Verdict(_)) => Ok(Type::List(Box::new(item))),
            Type::List(item) if *item == Type::U16 => Ok(Type::List(Box::new(Type::List(item)))),
            Type::Optional(item) if *item == Type::Failure => Ok(Type::List(Box::new(Type::Optional(item)))),
            item if item.integer().is_some() => Ok(Type::List(Box::new(item))),
            other => Err(format!("a list of {other:?} does not cross the boundary; see `model::Type`")),
        }
    }

    fn named(&self, name: &str) -> Outcome<Type> {
        match name {
            "String" => Ok(Type::Text),
            "Hash" => Ok(Type::Bytes),
            "SecretBytes" => Ok(Type::SecretBytes),
            "bool" => Ok(Type::Bool),
            "u8" => Ok(Type::U8),
            "u16" => Ok(Type::U16),
            "u32" => Ok(Type::U32),
            "u64" => Ok(Type::U64),
            "u128" => Ok(Type::U128),
            "usize" => Ok(Type::Size),
            "Length" => Ok(Type::Length),
            "AnyLength" => Ok(Type::AnyLength),
            "NonZeroU16" => Ok(Type::NonZeroU16),
            "Duration" => Ok(Type::Duration),
            "Error" => Ok(Type::Failure),
            "Attested" => Ok(Type::Attested),
            "Self" => Ok(Type::Class(self.class.to_owned())),
            name if self.classes.iter().any(|one| one == name) => Ok(Type::Class(name.to_owned())),
            "Suite" => Ok(Type::Suite),
            name => Err(format!("the type `{name}` does not cross the boundary; see `model::Type`")),
        }
    }
}

/// True if an item is only in the whole package: `#[cfg(feature = "full")]`.
pub(crate) fn is_full(attributes: &[Attribute]) -> bool {
    conditions(attributes).iter().any(has_full)
}

/// True if WebAssembly does not have the item.
pub(crate) fn is_native(attributes: &[Attribute]) -> bool {
    let excludes = |condition: &Meta| match condition {
        Meta::List(list) if list.path.is_ident("all") => list.tokens.to_string().contains("target_family"),
        _ => false,
    };
    conditions(attributes).iter().any(excludes)
}

fn conditions(attributes: &[Attribute]) -> Vec<Meta> {
    let conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.filter_map(|attribute| attribute.parse_args::<Meta>().ok()).collect()
}

fn has_full(condition: &Meta) -> bool {
    match condition {
        Meta::NameValue(pair) => text_of(&pair.value).is_some_and(|feature| feature == "full"),
        Meta::List(list) if list.path.is_ident("all") => {
            let parts = Punctuated::<Meta, Token![,]>::parse_terminated;
            list.parse_args_with(parts).is_ok_and(|parts| parts.iter().any(has_full))
        }
        _ => false,
    }
}

/// The parameter `T` of a type `Outer<T>`.
pub(crate) fn inside<'a>(written: &'a syn::Type, outer: &str) -> Option<&'a syn::Type> {
    let syn::Type::Path(path) = written else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if last.ident == outer => Some(inner),
        _ => None,
    }
}

pub(crate) fn last_name(written: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = written else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}
