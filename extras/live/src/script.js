{
  const get = (id) => document.getElementById(id);
  const whole = new Intl.NumberFormat("en");
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const facts = (place, words) => place.replaceChildren(...words.map((word) => element("span", word)));

  const STATES = {
    begins: "begins", stopped: "stopped before its last game",
    finished: "has ended", failed: "failed",
  };
  let version = null;
  let isOver = false;
  let isLost = false;

  // The time of the state that is shown, and when it was, by a clock that is never set. The page is usually a few
  // seconds old; from this age on it is out of date, and its pace says nothing about the time left.
  const STALE = 20;
  let asOf = null;
  let shown = null;
  const drawProgress = () => {
    if (!shown) return;
    const age = asOf ? (performance.now() - asOf.was) / 1000 : 0;
    const isStale = !isOver && (isLost || age > STALE);
    const { words, pace } = shown.progress;
    facts(get("progress"), isStale ? words : [...words, ...pace]);
    const place = get("as-of");
    place.hidden = !asOf;
    if (!asOf) return;
    const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const [size, unit] = units.find(([size]) => age >= size) ?? [1, "s"];
    const time = asOf.time.toLocaleTimeString("en-GB");
    place.className = isStale ? "warning" : "note";
    place.textContent = isStale ? `Out of date: as of ${time}, ${Math.floor(age / size)} ${unit} ago.` : `As of ${time}.`;
  };

  // A share as a percentage, a rating as it is.
  const worded = (scale, value) =>
    scale === "Elo" ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}` : `${(100 * value).toFixed(2)}\u00a0%`;

  const drawStop = ({ stop }) => {
    const section = get("stop");
    section.hidden = !stop;
    if (!stop) return;
    // Without a bound below, what may happen there ends nothing.
    const low = stop.lower ?? Math.min(0, stop.value);
    const place = (stop.value - low) / (stop.upper - low || 1);
    section.querySelector(".mark-now").style.left = `${100 * Math.max(0, Math.min(1, place))}%`;
    const [left, right] = section.querySelectorAll(".ends span");
    left.textContent = stop.lower === null ? "" : stop.lower.toFixed(2);
    right.textContent = stop.upper.toFixed(2);
    section.querySelector(".note").textContent = stop.words;
  };

  const strengthOf = (scale, { strength }) => {
    if (!strength) return "";
    const { value, low, high } = strength;
    const bound = (number, open) => (number === null ? open : worded(scale, number));
    return `${worded(scale, value)} [${bound(low, "open")}, ${bound(high, "open")}]`;
  };

  const drawPlayers = ({ players, others, scale }) => {
    const section = get("players");
    section.hidden = players.length === 0;
    const known = players.map(({ strength }) => strength).filter((strength) => strength);
    const ends = known.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
    // A bar of a rate shows the whole range, or small differences seem large.
    const [low, high] = scale === "Elo" ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
    const span = high - low || 1;
    const at = (value) => `${(2 + 96 * (value - low) / span).toFixed(3)}%`;
    section.querySelector(".note").textContent = known.length === 0 ? ""
      : `By ${scale}, with 95\u00a0% intervals; the bars go from ${worded(scale, low)} to ${worded(scale, high)}.`
        + (others > 0 ? ` The first ${players.length}; ${whole.format(others)} more play.` : "");
    section.querySelector(".rows").replaceChildren(...players.map((player) => {
      const row = element("li");
      const head = element("p", undefined, "head");
      head.append(element("strong", player.name), element("span", strengthOf(scale, player)));
      row.append(head);
      const { strength } = player;
      if (strength) {
        const track = element("div", undefined, "track");
        const within = element("span", undefined, "within");
        within.style.left = strength.low === null ? "0" : at(strength.low);
        within.style.right = strength.high === null ? "0" : `calc(100% - ${at(strength.high)})`;
        const now = element("span", undefined, "mark-now");
        now.style.left = at(strength.value);
        track.append(within, now);
        row.append(track);
      }
      const part = element("div", undefined, "part");
      const filled = element("span");
      filled.style.width = `${100 * player.done / (player.all || 1)}%`;
      part.append(filled);
      const words = [`${whole.format(player.done)} of ${whole.format(player.all)} games`, player.cost].filter((fact) => fact);
      const line = element("p", undefined, "facts");
      facts(line, words);
      row.append(part, line);
      return row;
    }));
  };

  const drawParts = ({ parts }) => {
    get("parts").hidden = parts.length === 0;
    get("parts").querySelector(".rows").replaceChildren(...parts.map(({ name, done, all, words }) => {
      const row = element("li");
      const head = element("p", undefined, "head");
      head.append(element("strong", name), element("span", words));
      const part = element("div", undefined, "part");
      const filled = element("span");
      filled.style.width = `${100 * Math.min(1, done / (all || 1))}%`;
      part.append(filled);
      row.append(head, part);
      return row;
    }));
  };

  const drawSettings = ({ settings, candidates, answer, parts }) => {
    get("settings").hidden = settings.length === 0;
    // The validation compares it, and the answer is its verdict.
    get("settings").querySelector(".unchecked").hidden = answer.length > 0 || parts.length > 1;
    get("settings").querySelector(".rows").replaceChildren(...settings.map(({ key, values, places, bounds }) => {
      const [start, best, now] = values;
      const row = element("li");
      const head = element("p", undefined, "head");
      head.append(element("strong", key), element("span", `best ${best}, now ${now}, start ${start}`));
      row.append(head);
      if (places) {
        const track = element("div", undefined, "track");
        track.append(...["start", "best", "mark-now"].map((name, place) => {
          const mark = element("span", undefined, name);
          mark.style.left = `${(1 + 98 * places[place]).toFixed(2)}%`;
          return mark;
        }));
        const ends = element("p", undefined, "ends");
        ends.append(...bounds.map((bound) => element("span", bound)));
        row.append(track, ends);
      }
      return row;
    }));
    const { step, keys, rows } = candidates;
    const section = get("candidates");
    section.hidden = rows.length === 0;
    section.querySelector(".note").textContent = step;
    const line = (name, cells) => {
      const made = element("tr");
      made.append(...cells.map((cell) => element(name, cell)));
      return made;
    };
    section.querySelector("thead").replaceChildren(line("th", ["", ...keys]));
    section.querySelector("tbody").replaceChildren(...rows.map((row, place) => line("td", [place + 1, ...row])));
  };

  // A drawing is shown as a picture, in which nothing can run. Its colours are those of the page, by their names.
  const imageOf = (svg, className, caption) => {
    const style = getComputedStyle(document.documentElement);
    const coloured = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ')
      .replace(/var\((--[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
    const image = element("img", undefined, className);
    image.src = `data:image/svg+xml,${encodeURIComponent(coloured)}`;
    image.alt = caption;
    return image;
  };
  let drawings = [];
  const drawFigures = () => {
    get("drawings").replaceChildren(...drawings.map(({ title, caption, wide, narrow }) => {
      const section = element("section", undefined, "drawing");
      section.append(element("h3", title), element("p", caption, "note"));
      if (wide) section.append(imageOf(wide, "wide", title), imageOf(narrow, "narrow", title));
      return section;
    }));
  };

  // The colours of a picture are those of when it was made.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawFigures);

  const draw = (picture) => {
    const { kind, title, game, state, doing, said, warnings, progress, finished, report, answer } = picture;
    // A program of another version may tell what this page does not understand.
    if (version !== null && version !== picture.version) location.reload();
    ({ version } = picture);
    const percent = progress.all > 0 ? `${Math.floor(100 * progress.done / progress.all)}\u00a0%` : "";
    document.title = `${percent} ${title} – gauntlet`.trim();
    document.body.dataset.state = state;
    get("kind").textContent = `gauntlet ${kind}, live`;
    get("title").textContent = title;
    const does = state === "plays" ? doing : STATES[state] ?? state;
    get("lead").textContent = [does ? `The ${kind} ${does}` : "Running", percent].filter((word) => word).join(": ");
    get("warnings").replaceChildren(...warnings.map((warning) => {
      const said = element("p", undefined, "warning");
      // Options such as --threads are not broken after a hyphen.
      said.append(...warning.split(/(--\S+)/).map((part, at) => at % 2 ? element("span", part, "option") : part));
      return said;
    }));
    facts(get("facts"), [game].filter((word) => word));
    shown = picture;
    drawProgress();
    // A bar without an end says nothing.
    get("bar").hidden = progress.all === 0;
    get("bar").max = progress.all || 1;
    get("bar").value = progress.done;
    get("said").textContent = said;
    get("maker").textContent = `Made by gauntlet ${version}. The page is read-only and available while the program runs.`;
    // A program that has begun again at this address has no report yet.
    get("report").hidden = !report;
    if (!report) get("report").replaceChildren();
    else if (!get("report").querySelector("a")) get("report").replaceChildren(element("code", report));
    get("answer").hidden = answer.length === 0;
    get("answer").replaceChildren(...answer.map((line) => element("li", line)));
    drawParts(picture);
    drawSettings(picture);
    drawStop(picture);
    drawPlayers(picture);
    get("finished").hidden = finished.length === 0;
    get("finished").querySelector("ul").replaceChildren(...finished.map(({ who, which, how }) =>
      element("li", `${who}, ${which}: ${how}`)));
  };

  const clock = setInterval(drawProgress, 1000);
  const connect = () => {
    const source = new EventSource("events");
    const connection = get("connection");
    source.addEventListener("message", ({ data }) => {
      connection.hidden = true;
      isLost = false;
      draw(JSON.parse(data));
    });
    source.addEventListener("as-of", ({ data }) => {
      const [seconds, age] = JSON.parse(data);
      asOf = { time: new Date(1000 * seconds), was: performance.now() - 1000 * age };
      drawProgress();
    });
    source.addEventListener("drawings", ({ data }) => {
      drawings = JSON.parse(data);
      drawFigures();
    });
    // The report comes with the last picture, and stays in this window when the program is gone.
    source.addEventListener("report", ({ data }) => {
      const link = element("a", "the report, with all tables and plots");
      link.href = URL.createObjectURL(new Blob([JSON.parse(data)], { type: "text/html" }));
      link.target = "_blank";
      const place = get("report");
      place.hidden = false;
      place.replaceChildren(link, " ", ...[...place.querySelectorAll("code")].flatMap((code) => ["; on disk: ", code]));
    });
    source.addEventListener("end", () => {
      isOver = true;
      clearInterval(clock);
      source.close();
    });
    source.addEventListener("error", () => {
      if (isOver) return;
      connection.textContent = "Connection lost: the program has stopped or cannot be reached. This page is out of date. "
        + "After a restart, open the new address.";
      connection.hidden = false;
      isLost = true;
      drawProgress();
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
    });
  };
  connect();
}
