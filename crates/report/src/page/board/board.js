"use strict";
// Draws boards of all games into a table, from rows of cells as the game writes them.
const boards = {
  element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  },

  // A tile has the colour of its rank. Any other mark has the colour of text.
  tile(text) {
    const made = boards.element("td", text === "." ? "" : text);
    const rank = Math.log2(Number(text));
    if (Number.isInteger(rank) && rank > 0) made.dataset.rank = Math.min(rank, 17);
    return made;
  },

  // Returns a shade for each move: 3 for the best, 2 for the best ten, 1 for the better half. Moves
  // of equal value have the same shade. If most moves are equal, they have none.
  shades(worths) {
    const values = worths.map(([, worth]) => worth).sort((a, b) => b - a);
    const shade = (worth) => {
      const asGood = 1 + values.lastIndexOf(worth);
      return 2 * asGood > values.length ? 0 : worth === values[0] ? 3 : asGood <= 10 ? 2 : 1;
    };
    return new Map(worths.map(([move, worth]) => [move, shade(worth)]));
  },

  // Draws rows with coordinates. The last move has a mark, and each cell has the shade of a move
  // there.
  stones(rows, last, worths) {
    const { element } = boards;
    const letter = (x) => String.fromCharCode(97 + x);
    const [worth, shades] = [new Map(worths), boards.shades(worths)];
    const cell = (text, move) => {
      const made = element("td", undefined, move === last ? "last" : "");
      if (text !== ".") made.dataset.stone = text;
      if (shades.get(move)) made.dataset.shade = shades.get(move);
      made.title = worth.has(move) ? `${move}: ${worth.get(move)}` : move;
      return made;
    };
    const head = element("tr");
    head.append(element("th"), ...(rows[0] ?? []).map((_, x) => element("th", letter(x))));
    return [head, ...rows.map((row, y) => {
      const line = element("tr");
      line.append(element("th", y + 1), ...row.map((text, x) => cell(text, `${letter(x)}${y + 1}`)));
      return line;
    })];
  },

  // Draws a position from its rows, the last move, and the values of the next moves: pairs of a
  // move and a number.
  draw(board, rows, last, worths = []) {
    board.style.setProperty("--columns", rows[0]?.length || 1);
    const tiles = () => rows.map((row) => {
      const line = boards.element("tr");
      line.append(...row.map(boards.tile));
      return line;
    });
    board.replaceChildren(...(board.classList.contains("stones") ? boards.stones(rows, last, worths) : tiles()));
  },
};
