//! Distances and latencies between cities.
//!
//! The latency is that of light in glass along the great circle, times 1.5 for detours of cables, plus half a millisecond in
//! the cities. The paper used measured ping times, which it does not print.

use crate::queue::{MILLISECOND, Nanos};

/// A place with its latitude and longitude in degrees.
pub(crate) type City = (&'static str, f64, f64);

/// Across the world, as in the paper's emulation and simulation; the paper does not name its cities.
pub(crate) const WORLD: [City; 20] = [
    ("New York", 40.71, -74.01),
    ("London", 51.51, -0.13),
    ("Tokyo", 35.68, 139.69),
    ("Sydney", -33.87, 151.21),
    ("São Paulo", -23.55, -46.63),
    ("Johannesburg", -26.20, 28.05),
    ("Mumbai", 19.08, 72.88),
    ("Singapore", 1.35, 103.82),
    ("Frankfurt", 50.11, 8.68),
    ("San Francisco", 37.77, -122.42),
    ("Toronto", 43.65, -79.38),
    ("Chicago", 41.88, -87.63),
    ("Dallas", 32.78, -96.80),
    ("Paris", 48.86, 2.35),
    ("Stockholm", 59.33, 18.07),
    ("Warsaw", 52.23, 21.01),
    ("Istanbul", 41.01, 28.98),
    ("Hong Kong", 22.32, 114.17),
    ("Seoul", 37.57, 126.98),
    ("Santiago", -33.45, -70.67),
];

/// The regions of a cloud in which the paper's testbed ran: fourteen on five continents.
pub(crate) const REGIONS: [City; 14] = [
    ("Virginia", 38.95, -77.45),
    ("California", 37.35, -121.96),
    ("Oregon", 45.84, -119.70),
    ("Montreal", 45.50, -73.57),
    ("São Paulo", -23.55, -46.63),
    ("Dublin", 53.35, -6.26),
    ("London", 51.51, -0.13),
    ("Paris", 48.86, 2.35),
    ("Frankfurt", 50.11, 8.68),
    ("Mumbai", 19.08, 72.88),
    ("Singapore", 1.35, 103.82),
    ("Seoul", 37.57, 126.98),
    ("Tokyo", 35.68, 139.69),
    ("Sydney", -33.87, 151.21),
];

const EARTH_RADIUS_KM: f64 = 6371.0;
/// Light in glass.
const KM_PER_MS: f64 = 200.0;
/// Cables are longer than great circles.
const DETOUR: f64 = 1.5;
/// Latency from the nodes to the cable, both ends.
const LOCAL: Nanos = MILLISECOND / 2;

/// The great circle between two places, in kilometres.
pub(crate) fn distance(a: City, b: City) -> f64 {
    let (latitude, longitude) = ((b.1 - a.1).to_radians(), (b.2 - a.2).to_radians());
    let chord = (latitude / 2.0).sin().powi(2)
        + a.1.to_radians().cos() * b.1.to_radians().cos() * (longitude / 2.0).sin().powi(2);
    2.0 * EARTH_RADIUS_KM * chord.sqrt().min(1.0).asin()
}

/// One-way latency.
pub(crate) fn latency(a: City, b: City) -> Nanos {
    LOCAL + (distance(a, b) * DETOUR / KM_PER_MS * MILLISECOND as f64) as Nanos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latency_is_symmetric_and_at_most_half_the_equator() {
        for cities in [WORLD.as_slice(), &REGIONS] {
            for a in cities {
                assert_eq!(latency(*a, *a), LOCAL);
                for b in cities {
                    assert_eq!(latency(*a, *b), latency(*b, *a));
                    assert!(latency(*a, *b) <= LOCAL + 151 * MILLISECOND, "{} {}", a.0, b.0);
                }
            }
        }
    }

    #[test]
    fn known_distances_are_found() {
        let [new_york, london, tokyo, sydney, ..] = WORLD;
        assert!((distance(new_york, london) - 5570.0).abs() < 20.0);
        assert!((distance(tokyo, sydney) - 7825.0).abs() < 30.0);
    }
}
