"use strict";
// A click on the head of a column sorts its table; a second one turns the order, a third gives back the first order.
for (const table of document.querySelectorAll(".scroll:not(.matrix) table")) {
  const body = table.tBodies[0];
  const first = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const isWords = head.classList.contains("words");
    const text = (row) => row.cells[place].textContent.trim();
    const number = (row) => parseFloat(text(row).replaceAll(",", "").replace("−", "-").replace(/^[\u003c×]\s*/, ""));
    const isEmpty = (row) => (isWords ? text(row) === "" : Number.isNaN(number(row)));
    const compare = (a, b) =>
      isWords ? text(a).localeCompare(text(b), "en", { numeric: true }) : number(a) - number(b);
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // Words begin with the first letter, numbers with the largest.
      const orders = isWords ? ["ascending", "descending", null] : ["descending", "ascending", null];
      const order = orders[(orders.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      let rows = first;
      if (order) {
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const filled = first.filter((row) => !isEmpty(row)).sort((a, b) => sign * compare(a, b));
        rows = [...filled, ...first.filter(isEmpty)];
      }
      body.append(...rows);
    });
  });
}
