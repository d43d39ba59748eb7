//! `gauntlet.evaluate`: plays an experiment in this process, with Python functions as players.
//!
//! The engine runs on its own thread, without the lock of the interpreter. The calling thread
//! answers its requests: only this thread calls the functions, and handles the signals of Python.

use std::any::Any;
use std::ffi::CString;
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gauntlet::GAMES;
use gauntlet::assets::{ProgramPermission, machine_memory};
use gauntlet::cli::permission::{STDERR_FOLDER, external_commands};
use gauntlet::config::{self, Experiment, LoadError};
use gauntlet::disk::system_disk;
use gauntlet::player::Stop;
use gauntlet::results::store::folder::{FolderState, copy_experiment};
use gauntlet::results::store::manifest::experiment_digest;
use gauntlet::results::store::write::write_results;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::lock::JournalInUse;
use gauntlet::run::{self, failing_players, machine, paths};
use gauntlet::text::{display_path, escape};
use gauntlet::twenty48::players::policy::{HostPolicies, PolicyAnswer, PolicyRequest};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBlockingIOError, PyException, PyRuntimeError, PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use super::folder::to_python_error;

/// Time between two looks at the signals of Python.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// Plays an experiment, and returns the folder of its tables.
///
/// `text` is the experiment, whose files are in the folder `base`. `ask(i, boards, legal)` asks the
/// policy `names[i]` for an array of moves. `tell(line)` shows a line of progress. `program` is the
/// program gauntlet if players may start external programs.
#[pyfunction]
#[pyo3(signature = (text, base, results, names, ask, tell, threads, program))]
#[expect(clippy::too_many_arguments, reason = "a function that only the package calls")]
pub(crate) fn evaluate(
    py: Python<'_>,
    text: String,
    base: PathBuf,
    results: PathBuf,
    names: Vec<String>,
    ask: Bound<'_, PyAny>,
    tell: Option<Bound<'_, PyAny>>,
    threads: Option<NonZeroUsize>,
    program: Option<PathBuf>,
) -> PyResult<PathBuf> {
    gauntlet::set_build();
    gauntlet::user_cache::set_enabled(true);
    machine::set_program(PathBuf::from(PyModule::import(py, "gauntlet._gauntlet")?.filename()?.to_str()?));
    let experiment = config::from_bytes(
        gauntlet::catalog(&GAMES),
        Path::new("gauntlet.evaluate"),
        text.into_bytes(),
        Some(&base),
    );
    let experiment = experiment.map_err(|error| match error {
        LoadError::Mistaken(mistakes) => PyValueError::new_err(format!("\n{mistakes}")),
        other => PyRuntimeError::new_err(other.to_string()),
    })?;
    let folder = results.join(experiment.name());
    permit_commands(&experiment, program, &folder)?;
    let (requests, receiver) = channel();
    experiment.assets().lend(Arc::new(HostPolicies { names, requests }));
    let (stop, line) = (Stop::default(), Arc::new(Mutex::new(String::new())));
    let engine = {
        let (stop, line, folder) = (stop.clone(), Arc::clone(&line), folder.clone());
        let threads = threads.map_or_else(machine::cores, NonZeroUsize::get);
        thread::Builder::new()
            .name("gauntlet".to_owned())
            .spawn(move || play(&experiment, &folder, threads, &line, &stop))?
    };
    let mut host = Host { receiver: Mutex::new(receiver), ask, tell, line: &line, failure: None };
    let (mut last_progress, parent_id) = (Instant::now(), process::id());
    while host.answer(py) && !engine.is_finished() {
        if process::id() != parent_id {
            // A forked process has no engine thread: it cannot wait for it, or use its locks.
            let failure = host.failure.take();
            mem::forget((engine, host));
            let message = "a policy forked: only the parent process continues";
            return Err(failure.unwrap_or_else(|| PyRuntimeError::new_err(message)));
        }
        match py.check_signals() {
            // The second interrupt does not wait for the engine.
            Err(signal) if host.failure.is_some() => return Err(signal),
            result => host.failure = host.failure.take().or_else(|| result.err()),
        }
        if last_progress.elapsed() >= PROGRESS_INTERVAL {
            last_progress = Instant::now();
            host.show_progress();
        }
        if host.failure.is_some() {
            stop.request();
        }
    }
    let result = py.detach(|| engine.join());
    host.show_progress();
    if let Some(failure) = host.failure {
        return Err(failure);
    }
    let result = result.map_err(|panic| PyRuntimeError::new_err(panic_message(&*panic)))?;
    let (folder, warnings) = result.map_err(|error| name_folder_in_use(error, &folder))?;
    for warning in warnings {
        let warning = CString::new(warning).expect("messages are printable");
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &warning, 2)?;
    }
    Ok(folder)
}

/// Permits the external programs of players if there is a program that supervises them, and refuses
/// them otherwise.
fn permit_commands(experiment: &Experiment, supervisor: Option<PathBuf>, folder: &Path) -> PyResult<()> {
    let commands = external_commands(experiment);
    if supervisor.is_some() {
        let mut permission = ProgramPermission::with_errors(folder.join(STDERR_FOLDER));
        permission.supervisor = supervisor;
        experiment.assets().permit(permission);
    } else if !commands.is_empty() {
        let commands = commands.iter().map(|(name, words)| format!("  {name}: {}\n", escape::line(words)));
        return Err(PyValueError::new_err(format!(
            "players start external programs:\n{}to allow them: allow_commands=True",
            commands.collect::<String>()
        )));
    }
    Ok(())
}

/// Converts an error of the engine. If another call or program plays in the folder, the message is
/// in the words of Python.
fn name_folder_in_use(error: anyhow::Error, folder: &Path) -> PyErr {
    if !error.is::<JournalInUse>() {
        return to_python_error(error);
    }
    let folder = display_path(folder);
    let advice = "wait, or choose another name";
    PyBlockingIOError::new_err(format!("{folder} is in use by another evaluation or program: {advice}"))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message");
    format!("the engine panicked: {text}")
}

/// The calling thread, which answers requests of players.
struct Host<'py, 'a> {
    receiver: Mutex<Receiver<PolicyRequest>>,
    ask: Bound<'py, PyAny>,
    tell: Option<Bound<'py, PyAny>>,
    line: &'a Mutex<String>,
    /// First exception; after it no request is answered.
    failure: Option<PyErr>,
}

impl Host<'_, '_> {
    /// Waits a moment for a request, and answers it. Returns false if there will be no more.
    fn answer(&mut self, py: Python<'_>) -> bool {
        let receiver = &self.receiver;
        let request =
            py.detach(|| receiver.lock().expect("one thread uses it").recv_timeout(SIGNAL_CHECK_INTERVAL));
        match request {
            Ok(request) => {
                if self.failure.is_none() {
                    self.failure = self.call(py, request).err();
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn call(&self, py: Python<'_>, request: PolicyRequest) -> PyResult<()> {
        let PolicyRequest { policy, boards, legal, answer } = request;
        let start = Instant::now();
        let moves = self.ask.call1((policy, PyByteArray::new(py, &boards), PyByteArray::new(py, &legal)))?;
        let elapsed = start.elapsed();
        let moves = PyBuffer::<i64>::get(&moves)?.to_vec(py)?;
        // The engine may have stopped meanwhile.
        let _ = answer.send(PolicyAnswer { moves, duration: elapsed });
        Ok(())
    }

    /// Shows the line of progress. After an error, progress is no longer shown.
    fn show_progress(&mut self) {
        let line = mem::take(&mut *self.line.lock().expect("no thread panics with the line"));
        if let Some(tell) = self.tell.as_ref().filter(|_| !line.is_empty())
            && let Err(error) = tell.call1((line,))
        {
            if !error.is_instance_of::<PyException>(tell.py()) {
                self.failure.get_or_insert(error);
            }
            self.tell = None;
        }
    }
}

/// Plays an experiment, and writes its tables. Returns their folder, and messages about players
/// that were skipped.
fn play(
    experiment: &Experiment,
    folder: &Path,
    threads: usize,
    line: &Mutex<String>,
    stop: &Stop,
) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let path = paths::journal_path(folder, None);
    let mut journal = if path.exists() { Some(Journal::open(&path)?) } else { None };
    let sessions = journal.iter().flat_map(Journal::sessions);
    let state = FolderState::read(&system_disk(), experiment, folder, sessions)?;
    let table_folder = state.folder_for_tables(folder).with_context(|| {
        format!(
            "{} has tables of another experiment, without their journal: choose another name",
            display_path(folder)
        )
    })?;
    let mut journal = journal.take().map_or_else(|| Journal::open(&path), Ok)?;
    journal.remove_unusable_games()?;
    let plan = KeyedPlan::new(experiment.plan(), &[&journal])?;
    system_disk().make_folder(&table_folder)?;
    copy_experiment(journal.disk(), experiment, &table_folder)?;
    let options = run::RunOptions {
        threads,
        memory: machine_memory() / 2,
        progress_line: Some(line),
        experiment_digest: &experiment_digest(experiment),
        ..run::RunOptions::default()
    };
    let end = run::run(&plan, &mut journal, &options, stop)?;
    if end.is_interrupted {
        journal.sync()?;
        bail!("stopped after {} games", end.games_played);
    }
    let report = write_results(experiment, &plan, &mut journal, &table_folder, "gauntlet.evaluate", threads)?;
    let messages = report
        .skipped
        .iter()
        .map(|(&player, reason)| failing_players::skip_message(plan.players[player].name, reason));
    Ok((table_folder, messages.collect()))
}
