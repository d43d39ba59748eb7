"use strict";
{
  const moments = JSON.parse(document.getElementById("moments").textContent);
  const get = (id) => document.getElementById(id);
  const [board, standing, slider, play, why, weighed, bars, silent] =
    ["board", "standing", "slider", "play", "why", "weighed", "bars", "silent"].map(get);
  const last = moments.length - 1;
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 7 });
  const whole = new Intl.NumberFormat("en");
  let here = 0;
  let timer = null;

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // A tile has the colour of its rank, any other mark that of ink.
  const cell = (text) => {
    const made = element("td", text === "." ? "" : text);
    const rank = Math.log2(Number(text));
    if (Number.isInteger(rank) && rank > 0) made.dataset.rank = Math.min(rank, 17);
    return made;
  };

  const drawBoard = (rows) => {
    board.style.setProperty("--columns", rows[0]?.length || 1);
    board.replaceChildren(...rows.map((row) => {
      const line = element("tr");
      line.append(...row.map(cell));
      return line;
    }));
  };

  const drawWeighed = (next) => {
    const worths = next?.w ?? [];
    weighed.hidden = worths.length === 0;
    silent.hidden = worths.length > 0;
    const values = worths.map(([, worth]) => worth);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    bars.hidden = !(high > low);
    weighed.replaceChildren(...worths.map(([move, worth]) => {
      const row = element("tr", undefined, move === next.m ? "chosen" : "");
      const bar = element("td");
      const filled = element("span", undefined, "bar");
      filled.style.width = `${high > low ? 4 + 96 * (worth - low) / (high - low) : 100}%`;
      bar.append(filled);
      row.append(element("th", move), element("td", number.format(worth), "worth"), bar);
      return row;
    }));
  };

  const show = (place) => {
    here = Math.max(0, Math.min(last, place));
    const { p, s } = moments[here];
    const next = moments[here + 1];
    drawBoard(p);
    const depth = next?.d === undefined ? "" : ` at depth ${next.d}`;
    standing.textContent = `After ${whole.format(here)} of ${whole.format(last)} moves: ${s}.`
      + (next ? ` Next: ${next.m}${depth}.` : " The end.");
    drawWeighed(next);
    why.hidden = !next;
    slider.value = here;
    try { history.replaceState(null, "", `#${here}`); } catch { /* some browsers keep addresses of files as they are */ }
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ play";
  };

  const toggle = () => {
    if (timer) return stop();
    if (here === last) show(0);
    play.textContent = "■ stop";
    timer = setInterval(() => (here < last ? show(here + 1) : stop()), 150);
  };

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if (button === play) return toggle();
    stop();
    if (button.dataset.by) show(here + Number(button.dataset.by));
    if (button.dataset.to) show(button.dataset.to === "first" ? 0 : last);
  });
  slider.max = last;
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  const keys = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === " " && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      toggle();
    } else if (event.key in keys) {
      event.preventDefault();
      stop();
      show(here + keys[event.key]);
    }
  });
  get("controls").hidden = false;
  show(Number(location.hash.slice(1)) || 0);
}
