//! SVG elements, and values of JSON, that all charts use.

use std::fmt::Write;

use serde_json::Value;

pub(super) const WIDTH: f64 = 640.0;
/// Distinguishable in print and for most colour-blind readers.
pub(super) const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8c6d00", "#000000", "#999999"];

pub(super) fn begin(height: f64, title: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    text(&mut svg, WIDTH / 2.0, 22.0, "middle", title);
    svg
}

pub(super) fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    // Writing into a String cannot fail, here and in the whole module.
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(content));
}

/// Writes a text upwards beside the vertical axis.
pub(super) fn text_upwards(svg: &mut String, middle: f64, content: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
        escaped(content)
    );
}

pub(super) fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), stroke: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{stroke}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Texts of a JSON array.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// A text of a JSON object.
pub(super) fn named(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The members of an array in a JSON object.
pub(super) fn listed<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}
