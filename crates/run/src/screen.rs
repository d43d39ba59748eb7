//! A snapshot on a terminal: a bar, and lines below it that fit the size of the terminal.

use gauntlet_core::text::escape;
use gauntlet_core::text::names::fit_names;
use unicode_width::UnicodeWidthStr;

use super::progress::{Progress, RunState};
use super::snapshot::Snapshot;

/// Message between the request to stop and the end of the run.
pub(super) const STOPPING: &str = "stopping; press Ctrl-C again to stop at once";

/// Largest width of the bar, which is omitted below a third of it.
const MAX_BAR_WIDTH: usize = 30;

/// Smallest width to which names are cut; after that, numbers are omitted.
const MIN_NAME_WIDTH: usize = 12;

/// Formats the lines below the bar: the remarks, and as many rows of the table as fit. If there are
/// too many short rows, several share a line.
pub(super) fn format_body(snapshot: &Snapshot, width: usize, height: usize) -> Vec<String> {
    // Leave room for the first line and for the cursor's line.
    let height = height.saturating_sub(2);
    let mut lines: Vec<String> =
        snapshot.remarks.iter().map(|line| format!("  {}", escape::line(line))).collect();
    let max_rows = height.saturating_sub(lines.len());
    let rows = rows(&snapshot.table, width);
    let max_width = rows.iter().map(|row| row.width()).max().unwrap_or(0);
    let rows_per_line = if rows.len() > max_rows { (width / max_width).max(1) } else { 1 };
    let line_count = rows.len().div_ceil(rows_per_line);
    let fitting_lines = if line_count > max_rows { max_rows.saturating_sub(1) } else { line_count };
    lines.extend(rows.chunks(rows_per_line).take(fitting_lines).map(<[String]>::concat));
    let hidden_rows = rows.len().saturating_sub(fitting_lines * rows_per_line);
    if hidden_rows > 0 {
        lines.push(format!("  … and {hidden_rows} more"));
    }
    lines.truncate(height);
    lines.iter().map(|line| cut_line(line.trim_end(), width)).collect()
}

/// Formats the rows of a table in columns of equal width, with names cut to fit the terminal.
fn rows(table: &[[String; 3]], width: usize) -> Vec<String> {
    let column =
        |index: usize| table.iter().map(|row| escape::line(&row[index]).into_owned()).collect::<Vec<_>>();
    let [names, numbers, remarks] = [0, 1, 2].map(column);
    let max_width = |texts: &[String]| texts.iter().map(|text| text.width()).max().unwrap_or(0);
    let (number_width, remark_width) = (max_width(&numbers), max_width(&remarks));
    let name_room = width.saturating_sub(2 + 2 + number_width + 2 + remark_width).max(MIN_NAME_WIDTH);
    let names = fit_names(&names.iter().map(String::as_str).collect::<Vec<_>>(), name_room);
    let name_width = max_width(&names);
    let pad = |text: &str, width: usize| text.to_owned() + &" ".repeat(width - text.width());
    let rows = names.iter().zip(&numbers).zip(&remarks).map(|((name, number), remark)| {
        let (name, remark) = (pad(name, name_width), pad(remark, remark_width));
        format!("  {name}  {number:>number_width$}  {remark}")
    });
    rows.collect()
}

/// Formats the first line as a bar, which has its own colour, and words. Words are shortened to
/// leave room for the bar; if that is not enough, there is no bar.
pub(super) fn format_head(snapshot: &Snapshot, width: usize) -> (String, String) {
    let Some(progress) = &snapshot.progress else { return Default::default() };
    let (percent, words) = (format!("{:3} %", progress.percent()), progress.words());
    let variants = match &progress.pace_words()[..] {
        _ if progress.state == RunState::Stopped => vec![format!("{percent}  {STOPPING}")],
        [pace, left] => vec![
            format!("{percent}  {words}  {pace}  {left}"),
            format!("{percent}  {words}  {left}"),
            format!("{percent}  {left}"),
        ],
        _ => vec![format!("{percent}  {words}"), percent],
    };
    fit_bar(progress, &variants, width)
}

fn fit_bar(progress: &Progress, variants: &[String], width: usize) -> (String, String) {
    let space_for_bar = |text: &String| width.saturating_sub(text.width() + 1);
    let text = variants
        .iter()
        .find(|text| space_for_bar(text) >= MAX_BAR_WIDTH / 3)
        .or(variants.last())
        .cloned()
        .unwrap_or_default();
    let bar_width = space_for_bar(&text).min(MAX_BAR_WIDTH);
    if bar_width < MAX_BAR_WIDTH / 3 {
        return (String::new(), cut_line(&text, width));
    }
    (draw_bar(progress.done as f64 / progress.total.max(1) as f64, bar_width) + " ", text)
}

/// Draws a bar filled to this part, in eighths of a character.
fn draw_bar(fraction: f64, width: usize) -> String {
    const PARTS: [char; 8] = ['░', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (fraction.clamp(0.0, 1.0) * (8 * width) as f64) as usize;
    let mut bar: String = "█".repeat(eighths / 8);
    if eighths < 8 * width {
        bar.push(PARTS[eighths % 8]);
        bar.extend(std::iter::repeat_n('░', width - eighths / 8 - 1));
    }
    bar
}

/// Cuts a line so that it does not wrap.
pub(super) fn cut_line(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut text = String::new();
    for character in line.chars() {
        let longer = format!("{text}{character}…");
        if longer.width() > width {
            break;
        }
        text.push(character);
    }
    text + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(rows: usize) -> Snapshot {
        let progress =
            Progress::from_games(184_500, 1_000_000, RunState::Plays).with_pace(Some(815_500.0 / 5025.0));
        let row = |index| [format!("weights.smoothness-nearest-{index}"), "-12.3456".into(), String::new()];
        Snapshot {
            remarks: vec!["gain over the initial settings at the last check: 32.8 % (29.6 to 36.1)".into()],
            table: (0..rows).map(row).collect(),
            ..Snapshot::from_progress("search", progress)
        }
    }

    #[test]
    fn everything_fits_a_small_terminal() {
        for rows in [0, 1, 6, 50] {
            for (width, height) in [(80, 24), (60, 24), (80, 10), (40, 6), (20, 3), (5, 1)] {
                let snapshot = snapshot(rows);
                let (bar, text) = format_head(&snapshot, width);
                assert!((bar + &text).width() <= width, "{width}: {text}");
                let lines = format_body(&snapshot, width, height);
                assert!(lines.len() <= height.saturating_sub(2), "{width} by {height}: {lines:#?}");
                assert!(lines.iter().all(|line| line.width() <= width), "{width}: {lines:#?}");
            }
        }
    }

    #[test]
    fn no_number_is_cut_on_eighty_columns() {
        let lines = format_body(&snapshot(80), 80, 24);
        assert_eq!(lines[0], "  gain over the initial settings at the last check: 32.8 % (29.6 to 36.1)");
        assert!(lines[1..lines.len() - 1].iter().all(|line| line.ends_with("-12.3456")), "{lines:#?}");
        let shown_count = lines.iter().map(|line| line.matches("-12.3456").count()).sum::<usize>();
        assert!(shown_count == lines.len() - 2, "{lines:#?}");
        assert_eq!(lines.last().unwrap(), &format!("  … and {} more", 80 - shown_count));
        // On a wide terminal, all of them have room.
        let wide_lines = format_body(&snapshot(80), 200, 24);
        assert_eq!(wide_lines.concat().matches("-12.3456").count(), 80, "{wide_lines:#?}");
        assert_eq!(
            format_head(&snapshot(0), 80).1,
            " 18 %  184,500 of 1,000,000 games  162 games/s  1:23:45 left"
        );
    }

    #[test]
    fn a_bar_is_drawn_in_eighths() {
        assert_eq!([0.0, 0.5, 0.54, 1.0].map(|part| draw_bar(part, 4)), ["░░░░", "██░░", "██▏░", "████"]);
    }
}
