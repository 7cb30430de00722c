//! A whole run: workers connect, warm up, measure and drain; their ticks become
//! intervals for the sinks, and the window's total becomes the summary.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::db::nodelay;
use crate::db::session::{Cancel, Class, DbError, Session, Target};
use crate::db::setup::Setup;
use crate::run::agenda::Claims;
use crate::run::collector::Collector;
use crate::run::message::{Command, Message, SessionOf};
use crate::run::orders;
use crate::run::pace::Pace;
use crate::run::timeline::Stop;
use crate::run::verdict::{Facts, judge};
use crate::run::worker::{Clock, Job, patience, worker};
use crate::stats::sink::{Sink, SinkError};
use crate::stats::summary::{RunInfo, Summary, Warning};
use crate::workload::plan::Plan;

/// After this long without an answer a control connection is taken for dropped.
const SILENCE: Duration = Duration::from_millis(300);

/// What a run needs to know beside its plan.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Servers of one engine and version; clients are dealt to them round robin.
    pub targets: Arc<[Target]>,
    pub clients: u64,
    pub workers: usize,
    pub seed: u64,
    pub warmup: Duration,
    pub stop: Stop,
    pub grace: Duration,
    pub pace: Pace,
    /// Longest response time of a good transaction.
    pub sla: Option<Duration>,
    /// Failed share above which the run is not good.
    pub error_limit: f64,
    /// Known before the start: `nagle_on`, a password in an argument, ..
    pub warnings: Vec<Warning>,
}

/// Where workers live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// Each on an OS thread of its own.
    Own,
    /// All in the caller's runtime, so that one paused clock rules them.
    Callers,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{0}")]
    Connect(DbError),
    #[error("cannot start a thread for the clients: {0}")]
    Thread(std::io::Error),
    #[error("interrupted before the run began")]
    Interrupted,
}

/// Runs a plan. `controls` are sessions for cancelling, one on each target;
/// `interrupt` resolves when the user wants the run to end.
///
/// Results that could not be written end as a warning in the summary: the run
/// itself is not given up for them.
///
/// # Errors
/// When a client could not be connected, or the run was interrupted before it
/// began.
pub async fn run<S: Session + 'static>(
    config: &RunConfig,
    plan: Arc<Plan>,
    info: RunInfo,
    mut controls: Vec<S>,
    threads: Threads,
    sinks: &mut [&mut dyn Sink],
    interrupt: impl Future<Output = ()>,
) -> Result<Summary, RunError> {
    let (commands, receive_commands) = watch::channel(Command::Wait);
    let (out, messages) = unbounded_channel();
    let claims = Arc::new(Claims::default());
    let mut handles = Vec::new();
    let local = LocalSet::new();
    for number in 0..config.workers {
        let job = Job {
            worker: number,
            workers: config.workers,
            clients: config.clients,
            plan: plan.clone(),
            targets: config.targets.clone(),
            seed: config.seed,
            warmup: config.warmup,
            stop: config.stop,
            grace: config.grace,
            pace: config.pace,
            sla: config.sla,
            claims: claims.clone(),
            clock: match threads {
                Threads::Own => Clock::System,
                Threads::Callers => Clock::Tokio,
            },
        };
        match threads {
            Threads::Own => handles.push(spawn_thread::<S>(
                job,
                receive_commands.clone(),
                out.clone(),
            )?),
            Threads::Callers => {
                local.spawn_local(worker::<S>(job, receive_commands.clone(), out.clone()));
            }
        }
    }
    drop((out, receive_commands));
    let targets = &config.targets;
    let next_order = orders::next_numbers::<S>(&plan, targets).await;
    let next_order = next_order.map_err(RunError::Connect)?;
    let conductor = Conductor {
        config,
        commands,
        messages,
        collector: Collector::new(info, &plan, config),
        sinks,
        sink_error: None,
        left: Vec::new(),
        warnings: config.warnings.clone(),
        next_order,
        orders_taken: None,
        hottest_changed: plan.hottest_changed(),
        deletes: plan
            .transactions
            .iter()
            .any(|transaction| transaction.deletes),
        plan,
    };
    let summary = local
        .run_until(conductor.conduct(&mut controls, interrupt))
        .await;
    for handle in handles {
        if let Err(panic) = handle.join() {
            std::panic::resume_unwind(panic);
        }
    }
    for control in controls {
        // Whatever the server says to this, the run is over.
        let _ = timeout(patience(0), control.close()).await;
    }
    summary
}

fn spawn_thread<S: Session + 'static>(
    job: Job,
    commands: watch::Receiver<Command>,
    out: UnboundedSender<Message>,
) -> Result<std::thread::JoinHandle<()>, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(RunError::Thread)?;
    let thread = std::thread::Builder::new().name(format!("worker-{}", job.worker));
    let body = move || LocalSet::new().block_on(&runtime, worker::<S>(job, commands, out));
    thread.spawn(body).map_err(RunError::Thread)
}

/// Leads the workers through a run.
struct Conductor<'a, 'b> {
    config: &'a RunConfig,
    commands: watch::Sender<Command>,
    messages: UnboundedReceiver<Message>,
    collector: Collector,
    sinks: &'a mut [&'b mut dyn Sink],
    sink_error: Option<SinkError>,
    /// Sessions that could not be stopped.
    left: Vec<SessionOf>,
    warnings: Vec<Warning>,
    plan: Arc<Plan>,
    /// The sum of TPC-C's order numbers before the run, and what it took of them.
    next_order: Option<i64>,
    orders_taken: Option<i64>,
    hottest_changed: f64,
    deletes: bool,
}

impl Conductor<'_, '_> {
    async fn conduct<S: Session>(
        mut self,
        controls: &mut [S],
        interrupt: impl Future<Output = ()>,
    ) -> Result<Summary, RunError> {
        let mut interrupt = pin!(interrupt);
        let mut interrupted = false;
        let mut connected = 0;
        let mut refused = None;
        let mut started = false;
        loop {
            let message = tokio::select! {
                message = self.messages.recv() => message,
                () = &mut interrupt, if !interrupted => {
                    interrupted = true;
                    let stop = if started { Command::Stop } else { Command::Abort };
                    self.commands.send_replace(stop);
                    continue;
                }
            };
            match message {
                Some(Message::Connected) => {
                    connected += 1;
                    for sink in self.sinks.iter_mut() {
                        sink.connected(connected, self.config.clients);
                    }
                    if connected == self.config.clients && refused.is_none() && !interrupted {
                        started = true;
                        self.switch_nagle_off();
                        self.collector.start(now_us());
                        self.commands.send_replace(Command::Go);
                    }
                }
                Some(Message::Refused(error)) => {
                    refused.get_or_insert(error);
                    self.commands.send_replace(Command::Abort);
                }
                Some(Message::Tick(tick)) => self.collector.tick(&tick),
                Some(Message::Stuck { sessions, how }) => {
                    cancel_all(controls, &self.config.targets, &sessions, how).await;
                }
                Some(Message::Finished { worker, left }) => {
                    self.left.extend(left);
                    self.collector.finished(worker);
                }
                // Every worker has let go of its sender.
                None => break,
            }
            self.write_intervals();
        }
        if let Some(error) = refused {
            return Err(RunError::Connect(error));
        }
        if !started {
            return Err(RunError::Interrupted);
        }
        self.count_orders::<S>().await;
        Ok(self.finish(interrupted))
    }

    /// Asks the server how many orders the run has made.
    async fn count_orders<S: Session>(&mut self) {
        let Some(before) = self.next_order else {
            return;
        };
        match orders::next_numbers::<S>(&self.plan, &self.config.targets).await {
            Ok(after) => self.orders_taken = after.map(|after| after - before),
            Err(error) => self.warnings.push(Warning {
                code: "orders_unread",
                message: format!("new orders are counted by the clients alone: d_next_o_id could not be read after the run: {error}"),
                fatal: false,
            }),
        }
    }

    /// sqlx 0.9.0 leaves Nagle's algorithm on: over TLS long arguments then
    /// wait 40 ms for an acknowledgement.
    fn switch_nagle_off(&mut self) {
        if let Err(error) = nodelay::switch_on()
            && self.collector.tls()
        {
            self.warnings.push(Warning {
                code: "nagle_on",
                message: format!("Nagle's algorithm could not be switched off ({error}); with TLS, statements with long arguments take 40 ms more"),
                fatal: false,
            });
        }
    }

    fn write_intervals(&mut self) {
        while let Some(interval) = self.collector.next_interval() {
            for sink in self.sinks.iter_mut() {
                if let Err(error) = sink.interval(&interval) {
                    self.sink_error.get_or_insert(error);
                }
            }
        }
    }

    fn finish(mut self, interrupted: bool) -> Summary {
        let mut summary = self.collector.summary();
        summary.warnings = std::mem::take(&mut self.warnings);
        summary.orders_taken = self.orders_taken;
        judge(
            &mut summary,
            &Facts {
                interrupted,
                left_running: self.left.len() as u64,
                error_limit: self.config.error_limit,
                grace: self.config.grace,
                counted: matches!(self.config.stop, Stop::Transactions(_)),
                hottest_changed: self.hottest_changed,
                deletes: self.deletes,
            },
        );
        if let Some(error) = &self.sink_error {
            // Known before the summary is written, so that it stands in it.
            summary.warnings.push(not_written(error));
        }
        let known = self.sink_error.take().is_some();
        for sink in self.sinks.iter_mut() {
            if let Err(error) = sink.finish(&summary) {
                self.sink_error.get_or_insert(error);
            }
        }
        if let Some(error) = self.sink_error.take().filter(|_| !known) {
            summary.warnings.push(not_written(&error));
        }
        summary
    }
}

/// The warning for results that are not all there.
pub fn not_written(error: &SinkError) -> Warning {
    Warning {
        code: "results_not_written",
        message: error.to_string(),
        fatal: true,
    }
}

/// Stops sessions over the control connections, for as long as the workers wait.
async fn cancel_all<S: Session>(
    controls: &mut [S],
    targets: &[Target],
    sessions: &[SessionOf],
    how: Cancel,
) {
    let servers = controls.iter_mut().zip(targets).enumerate();
    let each = servers.map(|(server, (control, target))| async move {
        for session in sessions.iter().filter(|session| session.server == server) {
            cancel(control, target, session.id, how).await;
        }
    });
    let _ = timeout(patience(sessions.len()), join_all(each)).await;
}

/// Stops one session. The control connection has been idle for the whole run:
/// one that was dropped meanwhile, in silence or not, is opened again.
async fn cancel<S: Session>(control: &mut S, target: &Target, id: i64, how: Cancel) {
    let asked = timeout(SILENCE, control.cancel(id, how)).await;
    // A session that cannot be stopped is found by its worker, which reports it
    // as left.
    let dropped = match asked {
        Ok(Ok(())) => false,
        Ok(Err(error)) => error.class == Class::Disconnected,
        Err(_) => true,
    };
    // What clients are told might take the right to cancel away.
    let target = target.clone().with_setup(Setup::default());
    if dropped && let Ok(fresh) = S::open(&target, &[]).await {
        *control = fresh;
        let _ = control.cancel(id, how).await;
    }
}

fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
