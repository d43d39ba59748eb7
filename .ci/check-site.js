// Returns the faults that a reader of this page would see.
async () => {
  const faults = [];
  const describe = (node) => {
    const name = node.localName + [...node.classList].map((word) => `.${word}`).join("");
    return `<${name}> ${node.textContent.trim().slice(0, 60)}`;
  };
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const settle = () => nextFrame().then(nextFrame);
  document.querySelectorAll("details").forEach((details) => (details.open = true));
  await document.fonts.ready;
  await settle();

  const { scrollWidth } = document.scrollingElement;
  if (scrollWidth > innerWidth) faults.push(`the page has a width of ${scrollWidth}`);
  // These scroll by themselves.
  const BOXES = "pre, .table-wrapper, .scroll, .drawing";
  const isCut = (node) =>
    node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== "visible";
  for (const node of document.querySelectorAll("body, body *")) {
    if (isCut(node) && node.checkVisibility() && !node.closest(BOXES)) {
      faults.push(`overflow: ${describe(node)}`);
    }
  }

  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((node) => [node, node.getBoundingClientRect()]);
    const shown = boxes.filter(([, box]) => box.width > 0);
    shown.forEach(([node, box], index) => {
      const isWithin =
        box.left > frame.left - 1 && box.right < frame.right + 1 && box.bottom < frame.bottom + 1;
      if (!isWithin) faults.push(`outside of its plot: ${describe(node)}`);
      for (const [other, area] of shown.slice(index + 1)) {
        const width = Math.min(box.right, area.right) - Math.max(box.left, area.left);
        const height = Math.min(box.bottom, area.bottom) - Math.max(box.top, area.top);
        if (width > 1 && height > 1) {
          faults.push(`labels overlap: ${describe(node)} and ${describe(other)}`);
        }
      }
    });
  }

  const players = [...document.querySelectorAll("g.player")];
  const label = () => document.querySelector("output.named:not([hidden])");
  for (const player of players) {
    player.scrollIntoView({ block: "center", inline: "center" });
    await settle();
    player.focus();
    const name = player.getAttribute("aria-label");
    const box = label()?.getBoundingClientRect();
    if (!name || label()?.textContent !== name) faults.push(`no name: ${describe(player)}`);
    else if (box.left < 0 || box.right > innerWidth) faults.push(`name is cut: ${name}`);
    player.blur();
    const mark = player.querySelector("circle, polygon, rect").getBoundingClientRect();
    const middle = { clientX: mark.left + mark.width / 2, clientY: mark.top + mark.height / 2 };
    player.dispatchEvent(new PointerEvent("pointermove", { ...middle, bubbles: true }));
    if (!label()) faults.push(`no name of what is pointed at: ${describe(player)}`);
  }
  for (const box of document.querySelectorAll(".filters input")) {
    box.click();
    const isWrong = ({ classList, dataset }) =>
      classList.contains("dimmed") !== (dataset.needs === box.value);
    if (players.some(isWrong)) faults.push(`the filter ${box.value} selects others`);
    box.click();
  }
  return faults;
}
