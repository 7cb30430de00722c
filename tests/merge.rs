//! Recorders merge without loss: what workers saw in parts is what one would
//! have seen of the whole.

use std::time::Duration;

use proptest::prelude::*;
use tiermark::stats::recorder::{ErrorStats, Fate, Recorder};

/// Something that a client writes down: at which transaction and statement,
/// what, and how long it took.
type Event = (usize, usize, u8, u64);

const TRANSACTIONS: usize = 2;
const STATEMENTS: usize = 3;

fn record(recorder: &mut Recorder, &(transaction, statement, what, us): &Event, at: u64) {
    let took = Duration::from_micros(us);
    let at = Duration::from_secs(at);
    let stats = &mut recorder.transactions[transaction];
    stats.busy += took;
    stats.sent += 1;
    match what {
        0 => {
            stats.service.record(took);
            stats.done += 1;
        }
        1 => {
            stats.service.record(took);
            stats.drained += 1;
        }
        2 => {
            stats.failures.record(took);
            stats.failed += 1;
            stats.in_doubt += us % 2;
            stats.disconnects += 1;
        }
        3 => {
            stats.unfinished += 1;
            stats.oldest_unfinished = stats.oldest_unfinished.max(took);
        }
        4 => {
            stats.rolled_back += 1;
            stats.empty += 2;
        }
        5 => {
            stats.retries += 1;
            recorder.error(ErrorStats {
                transaction,
                statement,
                code: (us % 3).to_string(),
                fate: if us % 5 == 0 {
                    Fate::Outage
                } else {
                    Fate::Retried
                },
                count: 1,
                first: at,
                last: at,
                lost: (us % 5 == 0).then_some(took),
                message: format!("at {at:?}"),
            });
        }
        _ => {
            let stats = recorder.statement(transaction, statement);
            stats.count += 1;
            stats.rows += us;
            stats.errors += us % 2;
            stats.latency.record(took);
        }
    }
}

/// All that a recorder holds, as text; errors in any order.
fn shown(recorder: &Recorder) -> String {
    let transactions = recorder
        .transactions
        .iter()
        .chain([&recorder.all()])
        .map(|stats| {
            format!(
                "{:?} {:?} {:?} {:?} {:?}",
                (stats.done, stats.rolled_back, stats.retries, stats.failed),
                (stats.in_doubt, stats.disconnects, stats.empty, stats.sent),
                (
                    stats.unfinished,
                    stats.oldest_unfinished,
                    stats.drained,
                    stats.busy
                ),
                (
                    stats.service.curve(),
                    stats.service.mean_us(),
                    stats.service.min_us(),
                    stats.service.max_us()
                ),
                (stats.failures.curve(), stats.failures.mean_us()),
            )
        })
        .collect::<Vec<_>>();
    let statements: Vec<String> = (0..TRANSACTIONS)
        .flat_map(|transaction| recorder.statements_of(transaction))
        .map(|stats| {
            let counts = (stats.count, stats.rows, stats.errors);
            format!(
                "{counts:?} {:?} {:?}",
                stats.latency.curve(),
                stats.latency.max_us()
            )
        })
        .collect();
    let mut errors: Vec<String> = recorder
        .errors
        .iter()
        .map(|error| format!("{error:?}"))
        .collect();
    errors.sort();
    format!("{transactions:#?} {statements:#?} {errors:#?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn parts_merge_to_the_whole(
        events in prop::collection::vec(
            (0..TRANSACTIONS, 0..STATEMENTS, 0_u8..8, 0_u64..100_000_000),
            0..60,
        ),
        parts in 1_usize..5,
    ) {
        let mut whole = Recorder::new(TRANSACTIONS, STATEMENTS);
        let mut workers = vec![whole.clone(); parts];
        for (at, event) in events.iter().enumerate() {
            record(&mut whole, event, at as u64);
            record(&mut workers[at % parts], event, at as u64);
        }
        let mut merged = Recorder::new(TRANSACTIONS, STATEMENTS);
        // In any order: the last worker first.
        for worker in workers.iter().rev() {
            merged.merge(worker);
        }
        prop_assert_eq!(shown(&merged), shown(&whole));
    }
}
