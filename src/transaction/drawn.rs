//! The inputs of one transaction, drawn whole before it begins: a retry sends
//! the same again, and no generator's time is in a latency.

use std::time::Duration;

use crate::random::rng::{Purpose, Rng};
use crate::random::think::think_time;
use crate::transaction::tpcc::constants::Constants;
use crate::transaction::tpcc::inputs::{Inputs, Terminal};
use crate::value::Cells;
use crate::workload::draw::Fresh;
use crate::workload::plan::{Body, Plan, TpccBody, TpccCall};

/// A transaction's place in the work of a phase.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    client: u64,
    /// How many transactions of the client, or of the pool, come before it.
    pub k: u64,
    /// Whose home it works on, where transactions have one.
    terminal: u64,
}

impl Place {
    /// The client's `k`-th transaction, from 0.
    pub fn of_client(client: u64, k: u64) -> Place {
        Place {
            client,
            k,
            terminal: client,
        }
    }

    /// An arrival that any client may take: its number stands for client and
    /// count, so that it is the same work in the same order, whoever does it.
    pub fn of_pool(number: u64) -> Place {
        Place {
            client: 0,
            k: number,
            terminal: number,
        }
    }
}

/// A client's inputs: those of its present transaction, in room used again.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Of a script.
    pub registers: Cells,
    /// Of a TPC-C transaction.
    pub tpcc: Inputs,
    /// How long the client is to think after it, by the book.
    pub think: Duration,
    seed: u64,
    clients: u64,
    fresh: Fresh,
    constants: Option<Constants>,
}

impl Drawn {
    /// For one client of `clients`.
    pub fn new(plan: &Plan, seed: u64, client: u64, clients: u64) -> Drawn {
        Drawn {
            registers: Cells::default(),
            tpcc: Inputs::default(),
            think: Duration::ZERO,
            seed,
            clients,
            fresh: Fresh::new(client, clients),
            constants: plan.tpcc.map(|tpcc| Constants::of_run(tpcc.c_load, seed)),
        }
    }

    /// Draws the transaction of a place and tells which it is: a pure function of
    /// seed, phase and place, but for numbers that are `fresh`, and for those of
    /// `choose = "partitioned"`, which depend on the number of clients.
    pub fn draw(&mut self, plan: &Plan, phase: Purpose, place: Place) -> usize {
        let Place {
            client,
            k,
            terminal,
        } = place;
        let mut rng = Rng::at(self.seed, phase, client, k);
        let picked = plan.mix.pick(&mut rng, self.seed, client, k);
        match &plan.transactions[picked].body {
            Body::Script(script) => {
                let (fresh, registers) = (&mut self.fresh, &mut self.registers);
                let program = &script.program;
                program.run(&plan.draws, 0, fresh, &mut rng, registers);
            }
            Body::Tpcc(TpccBody { kind, .. }) | Body::Call(TpccCall { kind, .. }) => {
                if let (Some(tpcc), Some(constants)) = (&plan.tpcc, &self.constants) {
                    let terminal = Terminal {
                        number: terminal,
                        clients: self.clients,
                    };
                    self.tpcc = Inputs::draw(*kind, tpcc, constants, terminal, &mut rng);
                }
            }
        }
        // Last, so that the inputs are the same with and without it.
        self.think = think_time(plan.transactions[picked].think, &mut rng);
        picked
    }
}
