//! Reading inputs, and the macros.

use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Token};

use super::language::Language;
use super::types::{Code, Ty, integer};

/// The fields of an object: `name: value, …`.
pub(super) struct Fields(pub(super) Vec<(String, Expr)>);

struct Field(Ident, Expr);

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self(name, input.parse()?))
    }
}

impl Parse for Fields {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let fields = Punctuated::<Field, Token![,]>::parse_terminated(input)?;
        Ok(Self(fields.into_iter().map(|Field(name, value)| (name.to_string(), value)).collect()))
    }
}

/// `CODE, call, …` or `CODE, [culprits], call, …`: calls that must fail. The code is `any` for any of the core's errors.
pub(super) struct Refusal {
    pub(super) code: String,
    pub(super) culprits: Option<Expr>,
    pub(super) calls: Vec<Expr>,
}

impl Parse for Refusal {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let code = input.parse::<Ident>()?.to_string();
        input.parse::<Token![,]>()?;
        let parsed = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let mut calls: Vec<Expr> = parsed.into_iter().collect();
        let has_culprits =
            calls.len() > 1 && !matches!(calls.first(), Some(Expr::Call(_) | Expr::MethodCall(_)));
        let culprits = has_culprits.then(|| calls.remove(0));
        Ok(Self { code, culprits, calls })
    }
}

/// A field of an input: the text of the expression and its type; `None` for an unknown function. `u8("name")` is an
/// integer, and `u8s("name")` a list.
pub(super) fn read<'a>(language: Language, object: &str, function: &str, name: &str) -> Option<Code<'a>> {
    let place = language.form(["{0}[{1}]", "{0}[{1}]", "{0}.at({1})"], &[object, name]);
    let (texts, kind) = match function {
        "has" => {
            let texts = ["({1} in {0})", "({1} in {0})", "{0}.asJsonObject.has({1})"];
            return Some((language.form(texts, &[object, name]), Ty::Bool));
        }
        "get" => (["{0}"; 3], Ty::Json),
        "text" => (["{0}", "{0}", "{0}.asString"], Ty::Text),
        "flag" => (["{0}", "{0}", "{0}.asBoolean"], Ty::Bool),
        "list" => (["{0}", "{0}", "{0}.asJsonArray.toList()"], Ty::list(Ty::Json)),
        one => match scalar(one) {
            Some(found) => found,
            None => {
                let (texts, kind) = scalar(one.strip_suffix('s')?)?;
                let item = language.form(texts, &["it"]);
                let texts = ["[{1} for it in {0}]", "{0}.map((it) => {1})", "{0}.asJsonArray.map { {1} }"];
                return Some((language.form(texts, &[&place, &item]), Ty::list(kind)));
            }
        },
    };
    Some((language.form(texts, &[&place]), kind))
}

/// Bytes or an integer.
fn scalar<'a>(name: &str) -> Option<([&'static str; 3], Ty<'a>)> {
    if matches!(name, "bytes" | "byte_string") {
        return Some((["unhex({0})", "unhex({0})", "{0}.asString.unhex()"], Ty::Bytes));
    }
    let kind = integer(name)?;
    let texts = match kind {
        "u64" => ["int({0})", "BigInt({0})", "{0}.asString.toULong()"],
        "u128" => ["int({0})", "BigInt({0})", "{0}.asBigInteger"],
        "u32" | "length" => ["int({0})", "Number({0})", "{0}.asLong"],
        _ => ["int({0})", "Number({0})", "{0}.asInt"],
    };
    Some((texts, Ty::Int(kind)))
}
