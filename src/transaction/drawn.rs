//! The inputs of one transaction, drawn whole before it begins: a retry sends
//! the same again, and no generator's time is in a latency.

use crate::random::rng::{Purpose, Rng};
use crate::transaction::tpcc::constants::Constants;
use crate::transaction::tpcc::inputs::{Inputs, Terminal};
use crate::value::Cells;
use crate::workload::plan::{Body, Plan};

/// A client's inputs: those of its present transaction, in room used again.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Of a script.
    pub registers: Cells,
    /// Of a TPC-C transaction.
    pub tpcc: Inputs,
    seed: u64,
    clients: u64,
    constants: Option<Constants>,
}

impl Drawn {
    /// For any client of a run of `clients` clients.
    pub fn new(plan: &Plan, seed: u64, clients: u64) -> Drawn {
        Drawn {
            registers: Cells::default(),
            tpcc: Inputs::default(),
            seed,
            clients,
            constants: plan.tpcc.map(|tpcc| Constants::of_run(tpcc.c_load, seed)),
        }
    }

    /// Draws the `k`-th transaction (from 0) of a client in a phase and tells
    /// which it is: a pure function of seed, phase, client and `k`, and for
    /// `choose = "partitioned"` of the number of clients.
    pub fn draw(&mut self, plan: &Plan, phase: Purpose, client: u64, k: u64) -> usize {
        let mut rng = Rng::at(self.seed, phase, client, k);
        let picked = plan.mix.pick(&mut rng, self.seed, client, k);
        match &plan.transactions[picked].body {
            Body::Script(script) => {
                let program = &script.program;
                program.run(&plan.draws, 0, &mut rng, &mut self.registers);
            }
            Body::Tpcc(body) => {
                if let (Some(tpcc), Some(constants)) = (&plan.tpcc, &self.constants) {
                    let terminal = Terminal {
                        client,
                        clients: self.clients,
                    };
                    self.tpcc = Inputs::draw(body.kind, tpcc, constants, terminal, &mut rng);
                }
            }
        }
        picked
    }
}
