//! Properties of links, as the page sets them.

use core::time::Duration;

use quorate_simulator::{Latency, Link, Probability};

/// Properties of the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQuality {
    /// Minimum latency in milliseconds.
    pub latency: u16,
    /// Mean additional latency in milliseconds.
    pub jitter: u16,
    /// Lost messages per thousand.
    pub loss: u16,
}

impl LinkQuality {
    /// Returns the simulator's link with these properties.
    pub fn link(self) -> Link {
        let ms = |ms: u16| Duration::from_millis(ms.into());
        Link::perfect(Latency::Tailed { floor: ms(self.latency), mean: ms(self.jitter) })
            .losing(Probability::ppm(u32::from(self.loss) * 1_000))
    }

    /// Returns the properties of a link created by [`link`](LinkQuality::link).
    pub(crate) fn from_link(link: &Link) -> Option<Self> {
        let Latency::Tailed { floor, mean } = link.latency else { return None };
        let ms = |duration: Duration| u16::try_from(duration.as_millis()).ok();
        let (latency, jitter) = (ms(floor)?, ms(mean)?);
        (0..=1_000).map(|loss| LinkQuality { latency, jitter, loss }).find(|quality| quality.link() == *link)
    }

    pub(crate) fn check(self) -> Result<Self, String> {
        if self.latency <= 2_000 && self.jitter <= 2_000 && self.loss <= 1_000 {
            Ok(self)
        } else {
            Err("latency and jitter must be at most 2000 ms, loss at most 1000 per thousand".into())
        }
    }
}
