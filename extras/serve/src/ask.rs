//! `gauntlet ask`: an external optimizer searches for better settings and requests the losses of
//! candidates.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::command::reproducing_command;
use gauntlet_analysis::results::store::folder::EXPERIMENT;
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_core::disk::read_line;
use gauntlet_core::player::Stop;
use gauntlet_core::text::{display_path, escape, format_count, group_digits};
use gauntlet_run::RunOptions;
use gauntlet_tune::external::{CandidateRefusal, ExternalCandidate, ExternalTuning, FOLDER, SettingValues};
use gauntlet_tune::results::TUNED;
use gauntlet_tune::section::{CandidateSpace, Param, Scale, TuneSection};
use gauntlet_tune::{CandidateSummary, MissingGamesReason, TuningJob};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use gauntlet_cli::exit::{STOPPED, Usage};
use gauntlet_cli::output::{format_json_error, print_message, print_waiting, screen};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::resources::Resources;
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{Results, load};

/// Tune with an external optimizer over JSON lines
///
/// The optimizer writes requests to standard input and reads replies from standard output.
///
/// {"ask": {"weights.empty": 3.1}, "blocks": 64} plays the player of `[tune]` with these settings.
/// The reply has the loss that `gauntlet tune` would minimize: {"loss": …, "error": …}. A list of
/// settings plays all of them on the same blocks.
///
/// {"tell": {"weights.empty": 4.2}} validates a result on fresh seeds, as `gauntlet tune` does.
/// {"space": true} lists the settings with their ranges.
///
/// `gauntlet format ask` explains each key. examples/optuna has a driver.
#[derive(clap::Args)]
#[command(
    after_long_help = r#"Games are kept in results/NAME/ask and never played twice. A stopped driver can repeat its requests from the beginning. After a "tell", the folder has the files of `gauntlet tune` except the path of the search. Use `gauntlet report` on its subfolder validation-1.

Exit status: 0 at the end of the input; 1, 2 and 130 as for all commands. An invalid line gets an error as its reply, and the next line is read.

Example:
  echo '{"space": true}' | gauntlet ask examples/optuna/tune.toml"#
)]
pub(crate) struct Args {
    /// Experiment with `[tune.params]`
    file: PathBuf,

    #[command(flatten)]
    means: Resources,

    #[command(flatten)]
    results: Results,

    #[command(flatten)]
    allow: Allow,
}

/// Default number of blocks per candidate.
const BLOCKS: u64 = 100;

/// The most blocks of one request.
const MAX_BLOCKS: u64 = 1_000_000;

/// The most candidates of one request.
const MAX_CANDIDATES: usize = 10_000;

/// The most blocks of all candidates of one request together. Their losses stay in memory until the
/// answer.
const MAX_TOTAL_BLOCKS: u64 = 10_000_000;

/// The largest block number. JSON readers may round larger numbers.
const LAST_BLOCK: u64 = 1 << 53;

/// A line of the input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    #[serde(default, rename = "id")]
    _id: Option<serde::de::IgnoredAny>,
    ask: Option<Box<RawValue>>,
    tell: Option<SettingValues>,
    space: Option<bool>,
    blocks: Option<u64>,
    first: Option<u64>,
}

/// Part that every line may have, even an invalid one.
#[derive(Deserialize, Default)]
struct LineId {
    /// Returned unchanged.
    #[serde(default)]
    id: Option<Box<RawValue>>,
}

/// A line of the output.
#[derive(Serialize)]
struct Answer {
    id: Option<Box<RawValue>>,
    #[serde(flatten)]
    reply: Value,
}

pub(crate) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let path = if args.file.is_dir() { args.file.join(EXPERIMENT) } else { args.file.clone() };
    let experiment = load(catalog, &path)?;
    let usage_error = |problem: &str| Usage(format!("{} {problem}", display_path(&path)));
    let tune = TuneSection::from_experiment(&experiment).ok_or_else(|| {
        usage_error("has no [tune] section, which sets the player, its settings and the objective")
    })?;
    let CandidateSpace::Params { params, .. } = &tune.field else {
        return Err(
            usage_error("has a race of players, not settings: `gauntlet ask` needs [tune.params]").into()
        );
    };
    let folder = args.results.folder(&experiment).join(FOLDER);
    args.allow.permit(&experiment, &path, &folder)?;
    let (command, digest) = (reproducing_command("ask", &path), experiment_digest(&experiment));
    let options = RunOptions {
        threads: args.means.threads(experiment.plan().threads_of_a_player()),
        memory: args.means.memory(),
        experiment_digest: &digest,
        is_within_session: true,
        ..RunOptions::default()
    };
    let (folder, command) = (&*folder, &*command);
    let task =
        TuningJob { experiment: &experiment, tune, folder, worker: None, command, options, deadline: None };
    let session = CommandSession::begin()?;
    let mut handler = RequestHandler { tuning: ExternalTuning::open(&task, params)?, folder, tune, params };
    print_waiting("questions", ", one JSON object per line");
    let result = handler.answer_all(&session, &mut io::stdin().lock(), &mut screen());
    let close_result = handler.tuning.close();
    let code = result?;
    close_result?;
    Ok(code)
}

/// Answers requests for one tuning.
struct RequestHandler<'a> {
    tuning: ExternalTuning<'a>,
    folder: &'a Path,
    tune: &'a TuneSection,
    params: &'a [Param],
}

impl RequestHandler<'_> {
    fn answer_all(
        &mut self,
        session: &CommandSession,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> anyhow::Result<ExitCode> {
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            number += 1;
            // While it waits for a line, a signal ends the program.
            read_line(input, &mut line)
                .with_context(|| format!("cannot read line {number} of standard input"))?;
            if line.is_empty() {
                return Ok(ExitCode::SUCCESS);
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line_id: LineId = serde_json::from_slice(&line).unwrap_or_default();
            let (result, is_stopped) = session.run_stoppable(|stop| self.answer(&line, stop));
            let reply = match result {
                Ok(reply) => Some(reply),
                Err(RequestError::Mistake(mistake)) => Some(json!({ "mistake": mistake })),
                Err(RequestError::MissingGames(MissingGamesReason::Stopped(_))) => None,
                Err(RequestError::MissingGames(MissingGamesReason::Failed(error))) => return Err(error),
            };
            if let Some(reply) = reply {
                let answer =
                    serde_json::to_string(&Answer { id: line_id.id, reply }).map_err(io::Error::from)?;
                writeln!(out, "{}", escape::json(&answer))?;
                out.flush()?;
            }
            if is_stopped {
                print_message(format_args!("stopped; finished games are in the journal and will be reused"));
                return Ok(ExitCode::from(STOPPED));
            }
        }
    }

    fn answer(&mut self, line: &[u8], stop: &Stop) -> Result<Value, RequestError> {
        let question: Question = serde_json::from_slice(line).map_err(|error| describe_bad_line(&error))?;
        let has_game_keys = question.blocks.is_some() || question.first.is_some();
        match (&question.ask, &question.tell, question.space) {
            (Some(candidates_json), None, None) => self.ask(candidates_json.get(), &question, stop),
            (None, _, _) if has_game_keys => Err("`blocks` and `first` need `ask`".to_owned().into()),
            (None, Some(settings), None) => self.validate_answer(settings, stop),
            (None, None, Some(true)) => Ok(self.describe_space()),
            _ => Err(r#"expected exactly one of "ask", "tell", "space": true"#.to_owned().into()),
        }
    }

    /// Plays one candidate, or several on the same blocks.
    fn ask(
        &mut self,
        candidates_json: &str,
        question: &Question,
        stop: &Stop,
    ) -> Result<Value, RequestError> {
        let blocks = question.blocks.unwrap_or(BLOCKS);
        if !(1..=MAX_BLOCKS).contains(&blocks) {
            return Err(format!("`blocks` must be from 1 to {MAX_BLOCKS}").into());
        }
        let first = question.first.unwrap_or(self.tuning.next_block());
        if first > LAST_BLOCK - MAX_BLOCKS {
            return Err(format!("`first` must be at most {}", LAST_BLOCK - MAX_BLOCKS).into());
        }
        let is_list = candidates_json.starts_with('[');
        let candidates: Vec<SettingValues> = if is_list {
            serde_json::from_str(candidates_json)
        } else {
            serde_json::from_str(candidates_json).map(|settings| vec![settings])
        }
        .map_err(|error| format!("`ask`: {}", describe_bad_line(&error)))?;
        if !(1..=MAX_CANDIDATES).contains(&candidates.len()) {
            return Err(format!("`ask` must have 1 to {MAX_CANDIDATES} candidates").into());
        }
        if candidates.len() as u64 * blocks > MAX_TOTAL_BLOCKS {
            return Err(format!(
                "at most {} blocks for all candidates together; this request has {} times {}",
                group_digits(MAX_TOTAL_BLOCKS),
                format_count(candidates.len() as u64, "candidate"),
                format_count(blocks, "block")
            )
            .into());
        }
        let mut accepted: Vec<ExternalCandidate> = Vec::new();
        let mut refusals = Vec::new();
        for settings in &candidates {
            refusals.push(match self.tuning.make_candidate(settings) {
                Ok(candidate) => {
                    accepted.push(candidate);
                    None
                }
                Err(CandidateRefusal::Refused(reason)) => Some(reason),
                Err(CandidateRefusal::Mistaken(message)) => return Err(message.into()),
            });
        }
        let games = if accepted.is_empty() {
            Vec::new()
        } else {
            self.tuning.play(&accepted, first, blocks, stop)?
        };
        let mut games = games.iter().map(|games| games_to_json(games, first));
        let answers = refusals.into_iter().map(|refusal| match refusal {
            Some(reason) => json!({ "refused": reason }),
            None => games.next().expect("who is not refused plays"),
        });
        let mut answers: Vec<Value> = answers.collect();
        Ok(if is_list { json!({ "answers": answers }) } else { answers.remove(0) })
    }

    /// Validates an answer.
    fn validate_answer(&mut self, settings: &SettingValues, stop: &Stop) -> Result<Value, RequestError> {
        let candidate = match self.tuning.make_candidate(settings) {
            Ok(candidate) => candidate,
            Err(CandidateRefusal::Refused(reason)) => return Ok(json!({ "refused": reason })),
            Err(CandidateRefusal::Mistaken(message)) => return Err(message.into()),
        };
        self.tuning.check_validations_left().map_err(|error| error.to_string())?;
        let answer = self.tuning.validate_answer(candidate, stop)?;
        let validation = answer.validation.as_ref();
        let path_text = |folder: &Path| folder.to_string_lossy().into_owned();
        let start_answer = || "identical to the start".to_owned();
        Ok(json!({
            "verdict": Verdict::from_comparison(answer.conclusion()).word(),
            "answer": validation.map_or_else(start_answer, |validation| validation.comparisons[0].answer()),
            "validation": validation.map(|validation| path_text(&validation.folder)),
            "tuned": path_text(&self.folder.join(TUNED)),
        }))
    }

    fn describe_space(&self) -> Value {
        let setting = |param: &Param| {
            let Param { key, min, max, is_whole, choices, .. } = param;
            let mut setting = json!({ "key": key });
            if choices.is_empty() {
                let scale = match param.scale {
                    Scale::Linear => "linear",
                    Scale::Log => "log",
                };
                setting["min"] = json!(min);
                setting["max"] = json!(max);
                setting["scale"] = json!(scale);
                setting["whole"] = json!(is_whole);
            } else {
                setting["choices"] = json!(choices);
            }
            setting["start"] = choices.get(param.start as usize).cloned().unwrap_or(json!(param.start));
            setting["tied"] = json!(param.tied);
            setting
        };
        json!({
            "space": self.params.iter().map(setting).collect::<Vec<_>>(),
            "objective": self.tune.objective.to_string(),
            "at_most_nodes": self.tune.at_most_nodes,
            "budget": self.tune.budget,
        })
    }
}

/// Reason why a request has no answer.
enum RequestError {
    /// The request is invalid.
    Mistake(String),
    /// The games were stopped or failed.
    MissingGames(MissingGamesReason),
}

impl From<String> for RequestError {
    fn from(mistake: String) -> RequestError {
        RequestError::Mistake(mistake)
    }
}

impl From<MissingGamesReason> for RequestError {
    fn from(reason: MissingGamesReason) -> RequestError {
        RequestError::MissingGames(reason)
    }
}

fn games_to_json(games: &CandidateSummary, first: u64) -> Value {
    json!({
        "loss": games.loss(),
        "error": games.error(),
        "games": games.losses.len(),
        "first": first,
        "score": games.score,
        "win": games.win,
        "nodes": games.nodes,
    })
}

/// Formats an error in a line of JSON.
fn describe_bad_line(error: &serde_json::Error) -> String {
    format_json_error(error) + if error.is_data() { "" } else { EXAMPLE_HINT }
}

/// Hint for a line that is not JSON.
const EXAMPLE_HINT: &str = r#"; expected JSON, such as {"ask": {}, "blocks": 100}"#;
