//! The first draws of each distribution and text from one stream.
//!
//! What these show may only change with a new major version: equal seeds must
//! give equal data and equal transactions on every machine. All but zipf, hotspot,
//! special and nurand were worked out by a second program, in Python, as well.

use super::distribution::{Keys, Shape};
use super::order::Order;
use super::rng::{Purpose, Rng};

fn rng() -> Rng {
    Rng::at(42, Purpose::Run, 3, 7)
}

fn draws(shape: Shape, max: i64, order: Order) -> [i64; 5] {
    let keys = Keys::new(shape, 1, max, order).unwrap();
    let mut rng = rng();
    std::array::from_fn(|_| keys.sample(&mut rng))
}

#[test]
fn distributions_never_change() {
    let hotspot = Shape::Hotspot {
        hot_fraction: 0.2,
        hot_share: 0.8,
    };
    let special = Shape::Special {
        pct: 1.0,
        res: 75.0,
        iter: 12,
    };
    let found: Vec<String> = [
        Shape::Uniform,
        Shape::Pareto { h: 0.2 },
        Shape::Zipf { theta: 0.0 },
        Shape::Zipf { theta: 0.5 },
        Shape::Zipf { theta: 0.99 },
        Shape::Zipf { theta: 1.0 },
        Shape::Zipf { theta: 1.2 },
        Shape::Gaussian { iter: 12 },
        Shape::PgGaussian { p: 3.0 },
        Shape::Exponential { p: 5.0 },
        hotspot,
        special,
        Shape::Nurand { a: 8_191, c: 123 },
        Shape::YcsbZipf,
    ]
    .map(|shape| {
        format!(
            "{shape:?}: {:?}",
            draws(shape, 1_000_000_000, Order::Ordered)
        )
    })
    .into();
    assert_eq!(
        found,
        [
            "Uniform: [425435094, 910106481, 176882624, 766317938, 876587645]",
            "Pareto { h: 0.2 }: [2103465, 506932089, 3749, 146653372, 386729739]",
            "Zipf { theta: 0.0 }: [574564907, 89893520, 823117377, 233682063, 123412356]",
            "Zipf { theta: 0.5 }: [330136036, 8084595, 677528890, 54615515, 15235569]",
            "Zipf { theta: 0.99 }: [199219, 5, 31585086, 123, 10]",
            "Zipf { theta: 1.0 }: [115142, 4, 23034815, 80, 8]",
            "Zipf { theta: 1.2 }: [37, 1, 2361, 2, 1]",
            "Gaussian { iter: 12 }: [624728704, 571874179, 571317068, 398376967, 425604241]",
            "PgGaussian { p: 3.0 }: [406083781, 396554530, 164925155, 399395300, 414426732]",
            "Exponential { p: 5.0 }: [109833104, 468627740, 38641915, 286387699, 409094989]",
            "Hotspot { hot_fraction: 0.2, hot_share: 0.8 }: [182021297, 153263588, 776364735, 112206454, 113421930]",
            "Special { pct: 1.0, res: 75.0, iter: 12 }: [499254351, 504101066, 625272015, 504006000, 499604876]",
            "Nurand { a: 8191, c: 123 }: [910106745, 766318199, 720461163, 561037258, 567114234]",
            "YcsbZipf: [300517138, 131889354, 696046998, 132111275, 560951418]",
        ]
    );
}

#[test]
fn orders_never_change() {
    let pareto = |max, order| draws(Shape::Pareto { h: 0.2 }, max, order);
    assert_eq!(
        pareto(1_000_000, Order::Reversed),
        [997_897, 493_068, 999_997, 853_347, 613_271]
    );
    assert_eq!(
        pareto(1_000_000, Order::Scattered),
        [973_341, 225_237, 182_333, 731_900, 525_696]
    );
    assert_eq!(
        pareto(i64::MAX, Order::Ordered),
        [
            19_401_037_508_850_977,
            4_675_623_253_134_200_833,
            34_575_485_485_619,
            1_352_638_610_141_100_801,
            3_566_952_254_072_416_769
        ]
    );
}
