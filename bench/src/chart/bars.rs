//! Stacked horizontal bars.

use std::fmt::Write;

use serde_json::{Value, json};

use super::axis::{Axis, label};
use super::svg::{COLOURS, WIDTH, begin, line, listed, named, text, texts};
use crate::row::figure;

/// Width for names.
const LEFT: f64 = 230.0;
/// Width for the sum beside the longest bar.
const RIGHT: f64 = 70.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 46.0;
const STEP: f64 = 28.0;
const THICK: f64 = 16.0;

/// Bars on one axis from 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bars {
    /// Label of the axis, with the unit.
    pub(crate) x: String,
    /// Names of the parts, in the order of their values.
    pub(crate) parts: Vec<String>,
    pub(crate) bars: Vec<Bar>,
}

/// One bar with its name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// Values of the parts. Negative values are not drawn.
    pub(crate) values: Vec<f64>,
    /// Range of most measurements of the sum.
    pub(crate) whiskers: Option<(f64, f64)>,
}

impl Bars {
    pub(super) fn to_json(&self) -> Value {
        let bar = |bar: &Bar| json!({ "name": bar.name, "values": bar.values, "whiskers": bar.whiskers });
        json!({ "x": self.x, "parts": self.parts, "bars": self.bars.iter().map(bar).collect::<Vec<_>>() })
    }

    pub(super) fn from_json(value: &Value) -> Self {
        let bar = |bar: &Value| Bar {
            name: named(bar, "name"),
            values: listed(bar, "values").filter_map(Value::as_f64).collect(),
            whiskers: bar.get("whiskers").and_then(|pair| serde_json::from_value(pair.clone()).ok()),
        };
        Self {
            x: named(value, "x"),
            parts: texts(value.get("parts")),
            bars: listed(value, "bars").map(bar).collect(),
        }
    }

    pub(super) fn svg(&self, title: &str) -> Option<String> {
        let longest = self.bars.iter().map(Bar::drawn).fold(0.0, f64::max);
        // Much longer whiskers end at the edge, because the bars are compared.
        let ends = self.bars.iter().filter_map(|bar| bar.whiskers).map(|(_, high)| high.min(1.5 * longest));
        let axis = Axis::linear(ends.chain([longest]), LEFT, WIDTH - RIGHT)?;
        let foot = TOP + self.bars.len() as f64 * STEP;
        let mut svg = begin(foot + BOTTOM, title);
        text(&mut svg, (LEFT + WIDTH - RIGHT) / 2.0, foot + BOTTOM - 10.0, "middle", &self.x);
        for tick in axis.ticks() {
            let at = axis.place(tick);
            line(&mut svg, (at, TOP - 6.0), (at, foot), "#ddd");
            text(&mut svg, at, foot + 16.0, "middle", &label(tick));
        }
        let mut place = LEFT;
        for (part, colour) in self.parts.iter().zip(COLOURS) {
            rectangle(&mut svg, (place, 33.0), (12.0, 10.0), colour);
            text(&mut svg, place + 18.0, 42.0, "start", part);
            place += 44.0 + part.chars().count() as f64 * 6.6;
        }
        for (number, bar) in self.bars.iter().enumerate() {
            bar.draw(&mut svg, &axis, TOP + number as f64 * STEP + (STEP - THICK) / 2.0);
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }
}

impl Bar {
    fn drawn(&self) -> f64 {
        self.values.iter().map(|value| value.max(0.0)).sum()
    }

    fn draw(&self, svg: &mut String, axis: &Axis, top: f64) {
        let middle = top + THICK / 2.0;
        text(svg, LEFT - 8.0, middle + 4.0, "end", &self.name);
        let mut reached = 0.0;
        for (value, colour) in self.values.iter().zip(COLOURS) {
            let from = axis.place(reached);
            reached += value.max(0.0);
            rectangle(svg, (from, top), (axis.place(reached) - from, THICK), colour);
        }
        let mut end = axis.place(reached);
        if let Some((low, high)) = self.whiskers {
            let (low, high) = (axis.place(low).min(axis.to), axis.place(high).min(axis.to));
            line(svg, (low, middle), (high, middle), "black");
            for at in [low, high] {
                line(svg, (at, middle - 4.0), (at, middle + 4.0), "black");
            }
            end = end.max(high);
        }
        text(svg, end + 6.0, middle + 4.0, "start", &figure(self.values.iter().sum()));
    }
}

fn rectangle(svg: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), colour: &str) {
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_end_to_end_and_nothing_is_drawn_backwards() {
        let bar =
            |values: &[f64]| Bar { name: "n".into(), values: values.to_vec(), whiskers: Some((1.0, 400.0)) };
        let parts = vec!["sign".into(), "verify".into()];
        let bars = Bars { x: "µs".into(), parts, bars: vec![bar(&[1.0, 2.0]), bar(&[-1.0, 2.0])] };
        let drawn = bars.svg("t").unwrap();
        assert_eq!(drawn.matches("fill=\"#d55e00\"").count(), 3, "a legend and two bars");
        assert!(!drawn.contains("width=\"-"));
        assert!(drawn.contains(">3</text>") && drawn.contains(">1</text>"), "the sums");
        assert!(drawn.contains(&format!("x2=\"{:.1}\"", WIDTH - RIGHT)), "a whisker ends at the edge");
        assert_eq!(Bars { bars: vec![], ..bars }.svg("t"), None);
    }
}
