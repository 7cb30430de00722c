//! Which transaction a client runs next: by weight at random, from a shuffled
//! deck, or in sequence. A pure function of the client's place in its work.

use crate::random::rng::{Purpose, Rng};

/// How transactions are picked; the numbers are weights in file order.
#[derive(Clone, Debug)]
pub enum Mix {
    Random {
        weights: Vec<u64>,
    },
    /// Exact shares: each pass deals every card once, newly shuffled.
    Deck {
        cards: Vec<u16>,
    },
    /// Each `weight` times in turn.
    Sequence {
        cards: Vec<u16>,
    },
}

/// Decks longer than this are surely a mistake, and would be dealt too rarely.
pub const LARGEST_DECK: u64 = 100_000;

impl Mix {
    /// The transaction that client `client` runs as its `k`-th (from 0).
    /// `rng` is that transaction's own stream; only `Random` draws from it.
    pub fn pick(&self, rng: &mut Rng, seed: u64, client: u64, k: u64) -> usize {
        match self {
            Mix::Random { weights } => {
                if weights.len() == 1 {
                    return 0;
                }
                let mut left = rng.below(weights.iter().sum());
                for (index, &weight) in weights.iter().enumerate() {
                    if left < weight {
                        return index;
                    }
                    left -= weight;
                }
                // Not reached: `left` began below the sum of the weights.
                weights.len() - 1
            }
            Mix::Deck { cards } => {
                let length = cards.len() as u64;
                let mut shuffle = Rng::at(seed, Purpose::Deck, client, k / length);
                deal(cards, &mut shuffle, k % length)
            }
            Mix::Sequence { cards } => {
                let at = k % cards.len() as u64;
                usize::from(cards[usize::try_from(at).unwrap_or(0)])
            }
        }
    }
}

/// The card at `place` of a Fisher-Yates shuffle, which is fixed after
/// `place + 1` swaps from the front.
fn deal(cards: &[u16], rng: &mut Rng, place: u64) -> usize {
    let mut cards = cards.to_vec();
    let place = usize::try_from(place).unwrap_or(0);
    for at in 0..=place {
        let rest = (cards.len() - at) as u64;
        let other = at + usize::try_from(rng.below(rest)).unwrap_or(0);
        cards.swap(at, other);
    }
    usize::from(cards[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(mix: &Mix, count: u64) -> Vec<usize> {
        (0..count)
            .map(|k| mix.pick(&mut Rng::at(1, Purpose::Run, 3, k), 1, 3, k))
            .collect()
    }

    #[test]
    fn a_deck_deals_exact_shares_in_changing_order() {
        let mix = Mix::Deck {
            cards: vec![0, 0, 0, 1],
        };
        let dealt = picks(&mix, 400);
        for pass in dealt.chunks(4) {
            assert_eq!(pass.iter().sum::<usize>(), 1);
        }
        let firsts = dealt.chunks(4).filter(|pass| pass[0] == 1).count();
        assert!((10..40).contains(&firsts), "{firsts}");
    }

    #[test]
    fn random_follows_the_weights() {
        let mix = Mix::Random {
            weights: vec![75, 0, 25],
        };
        let dealt = picks(&mix, 100_000);
        let share = |of| dealt.iter().filter(|&&pick| pick == of).count();
        assert_eq!(share(1), 0);
        // Four standard deviations of a binomial share.
        assert!(share(0).abs_diff(75_000) < 4 * 137, "{}", share(0));
    }

    #[test]
    fn a_sequence_repeats() {
        let mix = Mix::Sequence {
            cards: vec![0, 1, 1],
        };
        assert_eq!(picks(&mix, 5), [0, 1, 1, 0, 1]);
    }
}
