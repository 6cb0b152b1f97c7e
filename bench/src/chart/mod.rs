//! Charts as SVG: lines over two axes, or stacked bars. The background is white, also on a dark page.

mod axis;
mod bars;
mod lines;
mod svg;

use serde_json::{Value, json};

pub(crate) use self::bars::{Bar, Bars};
pub(crate) use self::lines::{Lines, Scale, Series};

/// The chart of a table.
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

    /// Reads the output of [`to_json`](Drawing::to_json), for the charts of groups that are not measured again.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let lines = value.get("lines").map(|lines| Self::Lines(Lines::from_json(lines)));
        lines.or_else(|| value.get("bars").map(|bars| Self::Bars(Bars::from_json(bars))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_survives_json() {
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
