//! Charts as SVG: lines over two axes, or bars made of parts. On white, so that a dark page shows the same.

mod axis;
mod bars;
mod lines;

use std::fmt::Write;

use serde_json::{Value, json};

pub(crate) use self::bars::{Bar, Bars};
pub(crate) use self::lines::{Lines, Scale, Series};

/// What is drawn of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Drawing {
    Lines(Lines),
    Bars(Bars),
}

impl Drawing {
    /// The chart as an SVG document; `None` if there is nothing to draw.
    pub(crate) fn svg(&self, title: &str) -> Option<String> {
        match self {
            Self::Lines(lines) => lines.svg(title),
            Self::Bars(bars) => bars.svg(title),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Lines(lines) => json!({ "lines": lines.to_json() }),
            Self::Bars(bars) => json!({ "bars": bars.to_json() }),
        }
    }

    /// What [`to_json`](Drawing::to_json) wrote: groups that are not measured again are drawn from it.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let lines = value.get("lines").map(|lines| Self::Lines(Lines::from_json(lines)));
        lines.or_else(|| value.get("bars").map(|bars| Self::Bars(Bars::from_json(bars))))
    }
}

const WIDTH: f64 = 640.0;
/// Distinguishable in print and for most colour-blind readers.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#8c6d00", "#000000", "#999999"];

fn begin(height: f64, title: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    text(&mut svg, WIDTH / 2.0, 22.0, "middle", title);
    svg
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    // Writing into a String cannot fail, here and in the whole module.
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(content));
}

/// Beside the vertical axis, upwards.
fn text_upwards(svg: &mut String, middle: f64, content: &str) {
    let _ = writeln!(
        svg,
        "<text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
        escaped(content)
    );
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), stroke: &str) {
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
fn texts(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// A text of a JSON object.
fn named(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The members of an array in a JSON object.
fn listed<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_comes_back_from_its_json() {
        let series = Series::dashed("a", 3, vec![(1.0, 2.0), (3.0, 4.5)]);
        let lines = Lines { x: "B".into(), y: "%".into(), scale: Scale::Linear, series: vec![series] };
        let bar = Bar { name: "b".into(), values: vec![1.0, 0.5], whiskers: Some((1.0, 2.0)) };
        let bars = Bars { x: "µs".into(), parts: vec!["rest".into(), "crypto".into()], bars: vec![bar] };
        for drawing in [Drawing::Lines(lines), Drawing::Bars(bars)] {
            assert_eq!(Drawing::from_json(&drawing.to_json()), Some(drawing.clone()));
            assert!(drawing.svg("t").is_some());
        }
        assert_eq!(Drawing::from_json(&Value::Null), None);
    }
}
