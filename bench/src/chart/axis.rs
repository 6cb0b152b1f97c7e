//! Axes of charts.

/// An axis with values from `low` to `high`, at positions from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    pub(super) from: f64,
    pub(super) to: f64,
    logarithmic: bool,
}

impl Axis {
    /// A logarithmic axis for these values; `None` if none is positive.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        // Some margin, so that no point is on the frame.
        (high > 0.0).then(|| Self { low: low / 1.3, high: high * 1.3, from, to, logarithmic: true })
    }

    /// A linear axis from 0; `None` if no value is positive.
    pub(super) fn linear(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let high = values.fold(0.0f64, f64::max);
        (high > 0.0).then_some(Self { low: 0.0, high: high * 1.04, from, to, logarithmic: false })
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    /// 1, 2 and 5 times the powers of ten on a logarithmic axis, multiples of one of these on another.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let steps =
            |low: i32, high: i32| (low..=high).flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(d)));
        if !self.logarithmic {
            let decade = self.high.log10().floor() as i32;
            let fits = |step: &f64| self.high / step <= 7.0;
            let Some(step) = steps(decade - 1, decade).find(fits) else { return vec![] };
            return (0..=7).map(|n| f64::from(n) * step).filter(|tick| *tick <= self.high).collect();
        }
        let inside = |tick: &f64| *tick >= self.low && *tick <= self.high;
        let all = steps(self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let ticks: Vec<f64> = all.filter(inside).collect();
        if ticks.len() <= 9 {
            return ticks;
        }
        ticks.into_iter().filter(|tick| (tick.log10() - tick.log10().round()).abs() < 1e-9).collect()
    }
}

/// The text at a tick.
pub(super) fn label(tick: f64) -> String {
    if tick >= 1.0 || tick == 0.0 { format!("{tick:.0}") } else { format!("{}", (tick * 1e6).round() / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_lies_inside_the_frame() {
        let values = [4.0, 40.0, 1000.0];
        let axes = [
            Axis::logarithmic(values.into_iter(), 70.0, 620.0),
            Axis::linear(values.into_iter(), 70.0, 620.0),
        ];
        for axis in axes.map(Option::unwrap) {
            for value in values {
                assert!(axis.place(value) > 70.0 && axis.place(value) < 620.0);
            }
            assert!(axis.place(4.0) < axis.place(40.0));
        }
    }

    #[test]
    fn there_is_no_axis_without_values() {
        assert!(Axis::logarithmic([0.0].into_iter(), 0.0, 1.0).is_none());
        assert!(Axis::linear([].into_iter(), 0.0, 1.0).is_none());
    }

    #[test]
    fn ticks_are_round_and_few() {
        let ticks = |axis: Option<Axis>| axis.unwrap().ticks();
        assert_eq!(ticks(Axis::linear([100.0].into_iter(), 0.0, 1.0)), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let labels: Vec<_> =
            ticks(Axis::linear([0.9].into_iter(), 0.0, 1.0)).into_iter().map(label).collect();
        assert_eq!(labels, ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(ticks(Axis::logarithmic([1.0, 9.0].into_iter(), 0.0, 1.0)), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(
            ticks(Axis::logarithmic([1.0, 9999.0].into_iter(), 0.0, 1.0)),
            [1.0, 10.0, 100.0, 1000.0, 10000.0]
        );
    }
}
