{
  const moments = JSON.parse(document.getElementById("moments").textContent);
  const get = (id) => document.getElementById(id);
  const [board, standing, slider, play, why, weighed, bars, few, silent] =
    ["board", "standing", "slider", "play", "why", "weighed", "bars", "few", "silent"].map(get);
  const last = moments.length - 1;
  // Largest number of moves that are listed.
  const MOST = 10;
  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 7 });
  const whole = new Intl.NumberFormat("en");
  let here = 0;
  let timer = null;

  const { element } = boards;

  // Returns all moves if there are at most ten; otherwise the best ten and the chosen one.
  const listed = (worths, chosen) => {
    const places = new Map(worths.map(([, worth]) => worth).sort((a, b) => b - a).map((worth, i, all) => [worth, 1 + all.indexOf(worth)]));
    const all = worths.map(([move, worth]) => ({ move, worth, place: places.get(worth) }));
    if (all.length <= MOST) return all;
    const best = all.sort((a, b) => b.worth - a.worth).slice(0, MOST);
    const own = all.find(({ move }) => move === chosen);
    return !own || best.includes(own) ? best : [...best, own];
  };

  const drawWeighed = (next) => {
    const worths = next?.w ?? [];
    weighed.hidden = worths.length === 0;
    silent.hidden = worths.length > 0;
    const values = worths.map(([, worth]) => worth);
    const shown = listed(worths, next?.m);
    const high = Math.max(...values);
    const low = worths.length > MOST ? Math.min(...shown.map(({ worth }) => worth)) : Math.min(...values);
    bars.hidden = !(high > low);
    few.hidden = worths.length <= MOST;
    few.textContent = `The best ${MOST} of ${whole.format(worths.length)}.`
      + (board.classList.contains("stones") ? " Shades on the board: the best, the best ten, the better half." : "");
    weighed.replaceChildren(...shown.map(({ move, worth, place }) => {
      const row = element("tr", undefined, move === next.m ? "chosen" : "");
      const bar = element("td");
      const filled = element("span", undefined, "bar");
      filled.style.width = `${high > low ? 4 + 96 * (worth - low) / (high - low) : 100}%`;
      bar.append(filled);
      const name = element("th", move);
      if (place > MOST) name.append(element("span", ` (place ${place})`, "place"));
      row.append(name, element("td", number.format(worth), "worth"), bar);
      return row;
    }));
  };

  const show = (place) => {
    here = Math.max(0, Math.min(last, place));
    const { m, p, s } = moments[here];
    const next = moments[here + 1];
    boards.draw(board, p, m, next?.w);
    standing.textContent = `After ${whole.format(here)} of ${whole.format(last)} moves: ${s}.`
      + (next ? ` Next: ${next.m}${next.o ?? ""}.` : " The end.");
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
