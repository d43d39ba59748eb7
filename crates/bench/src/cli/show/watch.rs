//! A game played in the terminal, each position in the place of the last. Who watches may stop it, step through it and leave; the
//! game is played on meanwhile, so what is asked for need not wait for a player that thinks.

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::audience::Audience;
use super::board::{View, picture};
use super::keys::{Key, Listening};
use crate::arena::Step;
use crate::cli::say::Screen;
use crate::player::Stop;
use crate::text::counted;

/// A game that is being watched.
pub(super) struct Watch {
    view: View,
    values: bool,
    events: Sender<Event>,
    /// Asked when the person leaves.
    stop: Stop,
    screen: Option<JoinHandle<()>>,
}

/// What the screen hears of.
enum Event {
    /// A position was reached: its picture.
    Reached(String),
    /// A key was pressed.
    Pressed(Key),
    /// There are no more positions.
    Ended,
}

impl Watch {
    /// Draws this number of moves in a second. To leave asks players to stop.
    pub(super) fn at(speed: u32, values: bool, view: View, stop: &Stop) -> Watch {
        let (events, heard) = channel();
        let (from_keys, stop_of_screen) = (events.clone(), stop.clone());
        let screen = thread::spawn(move || {
            let listening = Listening::begin(move |key| from_keys.send(Event::Pressed(key)).is_ok());
            let reel = Reel::new(speed, listening.is_some());
            show(&heard, reel, &stop_of_screen);
        });
        Watch { view, values, events, stop: stop.clone(), screen: Some(screen) }
    }
}

impl Audience for Watch {
    fn asks(&self) -> bool {
        self.values
    }

    fn see(&mut self, step: &Step, _out: &mut Screen) -> anyhow::Result<()> {
        // Nobody hears it who has left.
        let _ = self.events.send(Event::Reached(picture(step, &self.view).text(self.view.is_coloured)));
        Ok(())
    }

    fn end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()> {
        let _ = self.events.send(Event::Ended);
        if self.screen.take().is_some_and(|screen| screen.join().is_err()) {
            anyhow::bail!("the screen of the game broke");
        }
        let end = end.filter(|_| !self.has_left());
        Ok(end.map_or(Ok(()), |end| writeln!(out, "\n{end}"))?)
    }

    fn has_left(&self) -> bool {
        self.stop.is_asked()
    }
}

/// The longest time in which the request to stop, which a signal may make, is not looked at.
const MOMENT: Duration = Duration::from_millis(50);

/// The fastest that a person can choose, in moves a second.
const FASTEST: f64 = 1000.0;

/// Shows a game until it has ended, or the person leaves.
fn show(heard: &Receiver<Event>, mut reel: Reel, stop: &Stop) {
    // Each position is drawn, however fast they come.
    let target = ProgressDrawTarget::stdout_with_hz(255);
    let style = ProgressStyle::with_template("{msg}").expect("a fixed, valid template");
    let place = ProgressBar::with_draw_target(None, target).with_style(style);
    let mut due = Instant::now();
    let mut drawn = String::new();
    while !stop.is_asked() && !reel.is_over() {
        let left = due.saturating_duration_since(Instant::now());
        let wait = if reel.may_go_on() { left.min(MOMENT) } else { MOMENT };
        match heard.recv_timeout(wait) {
            Ok(Event::Reached(picture)) => reel.pictures.push(picture),
            Ok(Event::Ended) => reel.has_ended = true,
            Ok(Event::Pressed(Key::Quit)) => stop.ask(),
            Ok(Event::Pressed(key)) => reel.press(key),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if reel.may_go_on() && Instant::now() >= due {
            reel.step(1);
        }
        let text = reel.text();
        if text != drawn {
            due = Instant::now() + Duration::from_secs_f64(1.0 / reel.speed);
            place.set_message(text.clone());
            place.tick();
            drawn = text;
        }
    }
    place.abandon();
}

/// The positions that were reached, and the one that is shown.
struct Reel {
    pictures: Vec<String>,
    place: usize,
    is_playing: bool,
    /// Moves a second.
    speed: f64,
    has_ended: bool,
    /// True if keys can be pressed.
    has_keys: bool,
    /// True if one was pressed: then the person says when it is over.
    is_steered: bool,
}

impl Reel {
    fn new(speed: u32, has_keys: bool) -> Reel {
        Reel {
            pictures: Vec::new(),
            place: 0,
            is_playing: true,
            speed: speed.into(),
            has_ended: false,
            has_keys,
            is_steered: false,
        }
    }

    fn last(&self) -> usize {
        self.pictures.len().saturating_sub(1)
    }

    /// True if the next position is there and is to be shown when its time has come.
    fn may_go_on(&self) -> bool {
        self.is_playing && self.place < self.last()
    }

    fn is_over(&self) -> bool {
        self.has_ended && self.place == self.last() && !self.is_steered
    }

    fn press(&mut self, key: Key) {
        self.is_steered = true;
        match key {
            Key::Toggle if self.has_ended && self.place == self.last() => {
                (self.place, self.is_playing) = (0, true);
            }
            Key::Toggle => self.is_playing = !self.is_playing,
            Key::Move(moves) => {
                self.is_playing = false;
                self.step(moves);
            }
            Key::Faster(true) => self.speed = (2.0 * self.speed).min(FASTEST),
            Key::Faster(false) => self.speed = (self.speed / 2.0).max(1.0 / 16.0),
            Key::Quit => {}
        }
    }

    fn step(&mut self, moves: isize) {
        self.place = self.place.saturating_add_signed(moves).min(self.last());
    }

    /// The picture that is shown, and what keys do.
    fn text(&self) -> String {
        let Some(picture) = self.pictures.get(self.place) else { return String::new() };
        if !self.has_keys {
            return picture.trim_end_matches('\n').to_owned();
        }
        let of = if self.has_ended { format!(" of {}", self.last()) } else { String::new() };
        let state = match self.is_playing {
            true if self.is_steered && self.has_ended && self.place == self.last() => "the end".to_owned(),
            true => format!("{} a second", counted_speed(self.speed)),
            false => "stopped".to_owned(),
        };
        format!(
            "{picture}{}{of}, {state} | space stops, \u{2190} \u{2192} moves, \u{2191} \u{2193} speed, q ends",
            self.place
        )
    }
}

/// A speed in moves.
fn counted_speed(speed: f64) -> String {
    if speed < 1.0 { format!("1/{} move", 1.0 / speed) } else { counted(speed as u64, "move") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_through_what_was_played() {
        let mut reel = Reel::new(8, true);
        reel.pictures.extend(["a\n", "b\n", "c\n"].map(str::to_owned));
        assert!(reel.may_go_on());
        reel.step(1);
        reel.press(Key::Toggle);
        assert!(!reel.may_go_on() && reel.text().starts_with("b\n1, stopped | "), "{}", reel.text());
        for (moves, place) in [(1, 2), (1, 2), (-1, 1), (isize::MIN, 0), (isize::MAX, 2)] {
            reel.press(Key::Move(moves));
            assert_eq!(reel.place, place, "{moves}");
        }
        // Whoever has pressed a key says when to leave, and may see it again.
        reel.has_ended = true;
        assert!(!reel.is_over());
        reel.press(Key::Toggle);
        assert_eq!((reel.place, reel.is_playing), (0, true));
        assert!(Reel { is_steered: false, place: 2, ..reel }.is_over());
    }

    #[test]
    fn speeds_are_said() {
        let mut reel = Reel::new(2, true);
        reel.pictures.push("a\n".to_owned());
        let mut said = |is_faster| {
            reel.press(Key::Faster(is_faster));
            reel.text()
        };
        assert!(said(true).contains("4 moves a second"));
        said(false);
        assert!(said(false).contains("1 move a second"));
        assert!(said(false).contains("1/2 move a second"));
    }
}
