//! Golden transactions: the first 20 of clients 0 and 3 of each shipped
//! workload, as each engine gets them. A change here changes what every
//! earlier run has measured.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use tiermark::random::rng::Purpose;
use tiermark::transaction::drawn::{Drawn, Place};
use tiermark::transaction::tpcc::call;
use tiermark::value::{Engine, Value};
use tiermark::workload::compile::compile;
use tiermark::workload::plan::{Body, Plan};
use tiermark::workload::settings::Settings;
use tiermark::workload::shipped;
use tiermark::workload::source::Source;

const ENGINES: [Engine; 4] = [
    Engine::Postgres,
    Engine::Mysql,
    Engine::Mariadb,
    Engine::Sqlite,
];

fn plan(workload: &str, engine: Engine) -> Plan {
    let source = Source::open(workload, None).unwrap();
    compile(&source, &Settings::default(), engine).unwrap()
}

/// Those that a workload is for.
fn engines(workload: &str) -> Vec<Engine> {
    let file: toml::Table = shipped::workload(workload).unwrap().parse().unwrap();
    let named = |engine: &Engine| match file.get("engines") {
        Some(names) => names.as_array().unwrap().contains(&engine.name().into()),
        None => true,
    };
    ENGINES.into_iter().filter(named).collect()
}

/// A number as it is, a long text as its beginning and hash.
fn shown(value: Value<'_>) -> String {
    match value {
        Value::Text(text) if text.len() > 24 => {
            let hash = Sha256::digest(text.as_bytes());
            format!(
                "{}~{:02x}{:02x}{:02x}",
                &text[..11],
                hash[0],
                hash[1],
                hash[2]
            )
        }
        Value::Text(text) => text.to_owned(),
        Value::Int(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

/// `point_select 4: id = 123`: block, table number where there is one, and each
/// value by its name, in the order of first use.
fn transactions(plan: &Plan, client: u64, phase: Purpose) -> String {
    let mut drawn = Drawn::new(plan, 1, client, 4);
    let mut text = String::new();
    for k in 0..20 {
        let picked = drawn.draw(plan, phase, Place::of_client(client, k));
        let transaction = &plan.transactions[picked];
        writeln!(
            text,
            "client {client}, transaction {k}: {}",
            transaction.name
        )
        .unwrap();
        let script = match &transaction.body {
            Body::Script(script) => script,
            // What it sends depends on what the server returns.
            Body::Tpcc(_) => {
                writeln!(text, "  {}", drawn.tpcc.to_string().replace('\n', "\n    ")).unwrap();
                continue;
            }
            Body::Call(of) => {
                let id = call::statement(of, &drawn.tpcc);
                let (texts, names) = (
                    call::Texts::of(&drawn.tpcc.work),
                    &plan.statements[id.index()].params,
                );
                let values = texts.values(&drawn.tpcc);
                let values = names.iter().zip(&of.picks).map(|(name, &place)| {
                    format!("{name} = {}", shown(values[usize::from(place)]))
                });
                let values = values.collect::<Vec<_>>().join(", ");
                writeln!(text, "  {}: {values}", plan.statements[id.index()].name).unwrap();
                continue;
            }
        };
        let registers = &drawn.registers;
        for op in &script.ops {
            let id = op.statement(registers);
            let block = &plan.blocks[usize::from(plan.block_of[id.index()])];
            let number = op.by.map_or(String::new(), |(register, _)| {
                format!(" {}", shown(registers.get(usize::from(register))))
            });
            // An engine that takes `?` gets a value again for each use.
            let mut values: Vec<String> = Vec::new();
            let names = &plan.statements[id.index()].params;
            for (name, &register) in names.iter().zip(op.picks(script)) {
                let value = format!("{name} = {}", shown(registers.get(usize::from(register))));
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            writeln!(text, "  {}{number}: {}", block.name, values.join(", ")).unwrap();
        }
    }
    text
}

/// What all engines prepare, one statement of each block.
fn statements(plan: &Plan) -> String {
    let mut text = format!("{} statements\n", plan.statements.len());
    for (index, block) in plan.blocks.iter().enumerate() {
        let first = plan
            .block_of
            .iter()
            .position(|&of| usize::from(of) == index);
        let sql = plan.statements[first.unwrap()].sql;
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(text, "{} [{}]: {sql}", block.name, block.kind.name()).unwrap();
    }
    for table in plan.tables.iter().take(1) {
        let create = table
            .create
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        writeln!(
            text,
            "{}: {create}; {}",
            table.name,
            table.indexes.join("; ")
        )
        .unwrap();
    }
    for procedure in &plan.procedures {
        writeln!(text, "{}: {}", procedure.name, procedure.sha).unwrap();
    }
    text
}

/// One load serves both.
#[test]
fn tpcc_by_calls_has_the_tables_of_tpcc() {
    for engine in engines("tpcc_proc") {
        let tables = |workload| {
            let plan = plan(workload, engine);
            let tables: Vec<(String, String)> = plan
                .tables
                .into_iter()
                .map(|table| (table.name, table.sha))
                .collect();
            (tables, plan.data_params)
        };
        assert_eq!(tables("tpcc_proc"), tables("tpcc"), "{engine}");
    }
}

#[test]
fn every_engine_gets_the_first_transactions_as_ever() {
    for workload in shipped::workload_names() {
        let first = |engine| {
            let plan = plan(workload, engine);
            [0, 3]
                .map(|client| transactions(&plan, client, Purpose::Run))
                .concat()
        };
        let postgres = first(Engine::Postgres);
        // One snapshot for all: the work is the same on every engine.
        for engine in engines(workload) {
            assert_eq!(first(engine), postgres, "{workload} on {engine}");
        }
        insta::assert_snapshot!(workload, postgres);
    }
}

/// Files over `tpcc`, whose statements they send.
const OVER_TPCC: [&str; 3] = ["tpcc_terminals", "tpcc_sysbench", "tpcc_800"];

#[test]
fn every_engine_prepares_the_statements_as_ever() {
    for workload in shipped::workload_names().filter(|name| !OVER_TPCC.contains(name)) {
        for engine in engines(workload) {
            let text = statements(&plan(workload, engine));
            insta::assert_snapshot!(format!("{workload}-{engine}"), text);
        }
    }
}

/// Beyond the snapshots: what `show` must not differ by.
#[test]
fn engines_and_phases_draw_from_their_own_streams() {
    for workload in shipped::workload_names() {
        let postgres = plan(workload, Engine::Postgres);
        let run = transactions(&postgres, 3, Purpose::Run);
        assert_ne!(
            run,
            transactions(&postgres, 3, Purpose::Warmup),
            "{workload}"
        );
        assert_ne!(
            run,
            transactions(&postgres, 2, Purpose::Run).replace("client 2", "client 3")
        );
        let again = plan(workload, Engine::Postgres);
        assert_eq!(run, transactions(&again, 3, Purpose::Run), "{workload}");
    }
}
