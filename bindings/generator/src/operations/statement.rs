//! Functions and statements in the code of a language.

use syn::{Block, Expr, ExprIf, ExprMatch, Lit, Pat, Stmt};

use super::builtin;
use super::expression::{Writer, segments};
use super::json::Refusal;
use super::language::{Language, Outcome};
use super::source::Operation;
use super::types::{Ty, World};
use crate::names::indented;

/// A function.
pub(super) fn function(world: &World<'_>, operation: &Operation) -> Outcome<String> {
    let parameters = world.parameters(operation)?;
    let mut writer = Writer { world, module: &operation.module, scope: parameters.clone() };
    let result = world.functions.get(operation.name.as_str()).cloned().unwrap_or(Ty::Unit);
    let name = writer.name(&operation.name);
    let names: Vec<String> = parameters.iter().map(|(name, _)| writer.name(name)).collect();
    let listed = names.join(", ");
    let mut body = writer.block(&operation.function.block, result != Ty::Unit)?;
    // An operation without an output still has a result in Kotlin.
    let is_operation =
        operation.public.is_some() && operation.has_input() && world.language == Language::Kotlin;
    if is_operation && result == Ty::Unit {
        body += "return JsonNull.INSTANCE\n";
    }
    Ok(match world.language {
        Language::Python => format!("def {name}({listed}):\n{}\n", indented(&body, 4)),
        Language::JavaScript => {
            indented(&format!("function {name}({listed}) {{\n{}}}\n", indented(&body, 2)), 2)
        }
        Language::Kotlin => {
            let typed = names
                .iter()
                .zip(&parameters)
                .map(|(name, (_, kind))| format!("{name}: {}", world.kotlin(kind)));
            let typed = typed.collect::<Vec<_>>().join(", ");
            let result = if is_operation { "JsonElement".to_owned() } else { world.kotlin(&result) };
            indented(&format!("private fun {name}({typed}): {result} {{\n{}}}\n", indented(&body, 4)), 4)
        }
    })
}

impl<'a> Writer<'_, 'a> {
    /// The statements of a block. With `is_result`, the last expression is the result of the function.
    fn block(&mut self, block: &Block, is_result: bool) -> Outcome<String> {
        let before = self.scope.len();
        let text = block.stmts.iter().map(|one| self.statement(one, is_result)).collect::<Outcome<String>>();
        self.scope.truncate(before);
        text
    }

    fn end(&self) -> &'static str {
        if self.language() == Language::JavaScript { ";\n" } else { "\n" }
    }

    fn statement(&mut self, statement: &Stmt, is_result: bool) -> Outcome<String> {
        match statement {
            Stmt::Local(local) => {
                let Pat::Ident(name) = &local.pat else { return Err("a value without a name".to_owned()) };
                let value = &local.init.as_ref().ok_or("a name without a value")?.expr;
                let (value, kind) = self.expression(value)?;
                let name = name.ident.to_string();
                if builtin::is_implicit(&name) {
                    return Err(format!("the value {name} hides the function of this name"));
                }
                Ok(self.named(&name, &value, kind))
            }
            Stmt::Macro(one) if one.mac.path.is_ident("check") => {
                let condition: Expr = one.mac.parse_body().map_err(|error| error.to_string())?;
                let spaced = one.mac.tokens.to_string();
                let pairs = [(" . ", "."), (" (", "("), (" ,", ","), (" :: ", "::")];
                let what = pairs.iter().fold(spaced, |text, (from, to)| text.replace(from, to));
                Ok(format!("check({}, {what:?}){}", self.text(&condition)?, self.end()))
            }
            Stmt::Macro(one) if one.mac.path.is_ident("refuses") => {
                let Refusal { code, culprits, calls } =
                    one.mac.parse_body().map_err(|error| error.to_string())?;
                let culprits = culprits.map(|list| match list {
                    Expr::Array(one) if one.elems.is_empty() => {
                        Ok(self.form(["[]", "[]", "emptyList()"], &[]))
                    }
                    list => self.text(&list),
                });
                let culprits = culprits.transpose()?;
                let culprits = culprits.map(|list| format!(", {list}")).unwrap_or_default();
                let texts =
                    ["refuses({0}, lambda: {1}{2})", "refuses({0}, () => {1}{2})", "refuses({0}{2}) { {1} }"];
                self.each(texts, &calls, &[&format!("{code:?}"), &culprits])
            }
            Stmt::Macro(one) if one.mac.path.is_ident("out_of_range") || one.mac.path.is_ident("throws") => {
                let Refusal { code, calls, .. } = one.mac.parse_body().map_err(|error| error.to_string())?;
                let what = format!("{:?}", self.name(&code));
                let function = segments(&one.mac.path).concat();
                let texts = ["{2}({0}, lambda: {1})", "{2}({0}, () => {1})", "{2}({0}) { {1} }"];
                self.each(texts, &calls, &[&what, &self.name(&function)])
            }
            // Without a semicolon, this is the result.
            Stmt::Macro(one) => {
                let fields = one.mac.parse_body().map_err(|error| error.to_string())?;
                Ok(format!("return {}{}", self.object(fields)?.0, self.end()))
            }
            Stmt::Expr(expression, end) => self.last(expression, is_result && end.is_none()),
            Stmt::Item(_) => Err("a declaration within a function".to_owned()),
        }
    }

    /// A statement for each call, as `{1}` between two values.
    fn each(&mut self, texts: [&str; 3], calls: &[Expr], values: &[&str; 2]) -> Outcome<String> {
        let statement = |call| {
            let call = self.text(call)?;
            Ok(self.form(texts, &[values[0], &call, values[1]]) + self.end())
        };
        calls.iter().map(statement).collect()
    }

    /// `let`.
    fn named(&mut self, name: &str, value: &str, kind: Ty<'a>) -> String {
        self.scope.push((name.to_owned(), kind));
        let (name, end) = (self.name(name), self.end());
        self.form(["{0} = {1}{2}", "const {0} = {1}{2}", "val {0} = {1}{2}"], &[&name, value, end])
    }

    /// An expression as a statement.
    fn last(&mut self, expression: &Expr, is_result: bool) -> Outcome<String> {
        match expression {
            Expr::If(one) => self.condition(one, is_result),
            Expr::Match(one) => self.cases(one, is_result),
            Expr::ForLoop(one) => {
                let Pat::Ident(name) = &*one.pat else { return Err("a loop without a name".to_owned()) };
                let (list, kind) = self.expression(&one.expr)?;
                let name = name.ident.to_string();
                self.scope.push((name.clone(), kind.inner()));
                let body = self.block(&one.body, false)?;
                self.scope.pop();
                let name = self.name(&name);
                let texts = ["for {0} in {1}", "for (const {0} of {1})", "for ({0} in {1})"];
                let head = self.form(texts, &[&name, &list]);
                Ok(self.braced(&head, &body) + self.after())
            }
            Expr::Return(one) => {
                let value = one.expr.as_ref().map(|value| self.text(value)).transpose()?;
                let value = value.map(|value| format!(" {value}")).unwrap_or_default();
                Ok(format!("return{value}{}", self.end()))
            }
            other => {
                let start = if is_result { "return " } else { "" };
                Ok(format!("{start}{}{}", self.text(other)?, self.end()))
            }
        }
    }

    /// A block after a head: without a line end after the brace.
    fn braced(&self, head: &str, body: &str) -> String {
        match self.language() {
            Language::Python => format!("{head}:\n{}", indented(body, 4)),
            Language::JavaScript => format!("{head} {{\n{}}}", indented(body, 2)),
            Language::Kotlin => format!("{head} {{\n{}}}", indented(body, 4)),
        }
    }

    fn condition(&mut self, one: &ExprIf, is_result: bool) -> Outcome<String> {
        let before = self.scope.len();
        let (start, condition) = match &*one.cond {
            Expr::Let(found) => {
                let Pat::TupleStruct(some) = &*found.pat else { return Err("expected `Some`".to_owned()) };
                let Some(Pat::Ident(name)) = some.elems.first() else {
                    return Err("expected a name".to_owned());
                };
                let (value, kind) = self.expression(&found.expr)?;
                let name = name.ident.to_string();
                let start = self.named(&name, &value, kind.inner());
                let name = self.name(&name);
                (start, self.form(["{0} is not None", "{0} != null", "{0} != null"], &[&name]))
            }
            other => (String::new(), self.text(other)?),
        };
        let body = self.block(&one.then_branch, is_result)?;
        self.scope.truncate(before);
        let mut text = start + &self.branch("if", &condition, &body);
        if let Some((_, other)) = &one.else_branch {
            let Expr::Block(other) = &**other else {
                return Err("`else if` is not known".to_owned());
            };
            let other = self.block(&other.block, is_result)?;
            let spaced = if self.language() == Language::Python { "" } else { " " };
            text += spaced;
            text += &self.braced("else", &other);
        }
        Ok(text + self.after())
    }

    fn branch(&self, word: &str, condition: &str, body: &str) -> String {
        self.braced(&self.form(["{0} {1}", "{0} ({1})", "{0} ({1})"], &[word, condition]), body)
    }

    /// The end of the line after a brace.
    fn after(&self) -> &'static str {
        if self.language() == Language::Python { "" } else { "\n" }
    }

    /// `match`, whose last case has no condition.
    fn cases(&mut self, one: &ExprMatch, is_result: bool) -> Outcome<String> {
        let value = self.text(&one.expr)?;
        let mut text = String::new();
        for (at, arm) in one.arms.iter().enumerate() {
            let body = match &*arm.body {
                Expr::Block(block) => self.block(&block.block, is_result)?,
                other => self.last(other, is_result)?,
            };
            let pattern = match &arm.pat {
                Pat::Lit(literal) => match &literal.lit {
                    Lit::Str(name) => Some(format!("{:?}", name.value())),
                    Lit::Int(number) => Some(number.base10_digits().to_owned()),
                    _ => return Err("a pattern of an unknown form".to_owned()),
                },
                Pat::Wild(_) => None,
                _ => return Err("a pattern of an unknown form".to_owned()),
            };
            let spaced = if at > 0 && self.language() != Language::Python { " " } else { "" };
            text += spaced;
            text += &match pattern {
                Some(pattern) => {
                    let texts = ["{0} == {1}", "{0} === {1}", "{0} == {1}"];
                    let condition = self.form(texts, &[&value, &pattern]);
                    let word = if at == 0 { ["if"; 3] } else { ["elif", "else if", "else if"] };
                    let word = self.form(word, &[]);
                    self.branch(&word, &condition, &body)
                }
                None => self.braced("else", &body),
            };
        }
        Ok(text + self.after())
    }
}
