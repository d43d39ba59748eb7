"use strict";
// Names the player that is pointed at, tapped or focused in a plot, and dims others by filters.
// Without this script, the plot has the tooltips of the browser.
(() => {
  const NEEDS = {
    nothing: "nothing to prepare",
    training: "trained network",
    tables: "endgame tables",
    "training-tables": "both",
  };
  // Milliseconds: the limits of the tables.
  const LIMITS = { "any time": Infinity, "10 ms": 10, "1 ms": 1, "0.1 ms": 0.1, "10 µs": 0.01 };
  // Pixels within which a player is pointed at.
  const REACH = 24;

  const element = (name, properties, ...children) => {
    const created = Object.assign(document.createElement(name), properties);
    created.append(...children);
    return created;
  };

  const enhance = (figure, players) => {
    const label = element("output", { className: "named", hidden: true });
    const mark = (player) => {
      const shape = player.querySelector("circle, polygon, rect") ?? player;
      return shape.getBoundingClientRect();
    };
    let named = null;
    const name = (player) => {
      named?.classList.remove("named");
      named = player;
      label.hidden = !player;
      if (!player) return;
      player.classList.add("named");
      label.textContent = player.getAttribute("aria-label");
      const [box, frame] = [mark(player), figure.getBoundingClientRect()];
      const left = box.left + box.width / 2 - frame.left - label.offsetWidth / 2;
      const above = box.top - frame.top - label.offsetHeight - 8;
      label.style.left = `${Math.max(0, Math.min(left, frame.width - label.offsetWidth))}px`;
      label.style.top = `${above < 0 ? box.bottom - frame.top + 8 : above}px`;
    };
    const nearest = ({ clientX, clientY }) => {
      const distance = (player) => {
        const box = mark(player);
        return Math.hypot(box.left + box.width / 2 - clientX, box.top + box.height / 2 - clientY);
      };
      const shown = players.filter((player) => !player.classList.contains("dimmed"));
      const best = shown.map((player) => [distance(player), player]).sort(([a], [b]) => a - b)[0];
      return best?.[0] <= REACH ? best[1] : null;
    };

    for (const player of players) {
      const title = player.querySelector("title");
      player.setAttribute("aria-label", title.textContent);
      title.remove();
      player.setAttribute("role", "img");
      player.addEventListener("focus", () => name(player));
      player.addEventListener("blur", () => name(null));
    }
    const svg = figure.querySelector("svg");
    svg.setAttribute("role", "group");
    svg.addEventListener("pointermove", (event) => name(nearest(event)));
    svg.addEventListener("pointerdown", (event) => name(nearest(event)));
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && name(null));
    document.addEventListener("keydown", (event) => event.key === "Escape" && name(null));
    svg.parentElement.addEventListener("scroll", () => name(named));

    const isUsed = (need) => players.some(({ dataset }) => dataset.needs === need);
    const used = Object.keys(NEEDS).filter(isUsed);
    const boxes = used.map((value) => element("input", { type: "checkbox", value, checked: true }));
    const limits = Object.entries(LIMITS).map(([text, value]) => new Option(text, value));
    const limit = element("select", {}, ...limits);
    const filter = () => {
      const wanted = boxes.filter((box) => box.checked).map((box) => box.value);
      for (const player of players) {
        const { needs, ms } = player.dataset;
        const isShown = wanted.includes(needs) && Number(ms) <= Number(limit.value);
        player.classList.toggle("dimmed", !isShown);
        player.tabIndex = isShown ? 0 : -1;
      }
      name(null);
    };
    const labels = boxes.map((box) => element("label", {}, box, ` ${NEEDS[box.value]}`));
    const time = element("label", {}, "at most ", limit, " per move");
    const form = element("form", { className: "filters", autocomplete: "off" }, ...labels, time);
    form.addEventListener("change", filter);
    figure.prepend(form);
    figure.append(label);
    filter();
  };

  for (const figure of document.querySelectorAll("figure.plot")) {
    const players = [...figure.querySelectorAll("g.player")];
    if (players.length > 0) enhance(figure, players);
  }
})();
