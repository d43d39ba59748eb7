// Plays 2048: makes the first legal move of down, left, right and up.
// The protocol is docs/PROTOCOL.md of gauntlet.

// Returns true if a tile can move towards the end of a line.
const slides = lines => lines.some(line => [0, 1, 2].some(i => line[i] && (!line[i + 1] || line[i] === line[i + 1])));

require("readline").createInterface({ input: process.stdin }).on("line", line => {
  const [word, game, ...rest] = line.split(" ");
  if (word === "gauntlet") console.log("ready first.js 1");
  if (word === "move") {
    const rows = [0, 4, 8, 12].map(at => rest.slice(at, at + 4).map(Number));
    const columns = [0, 1, 2, 3].map(at => rows.map(row => row[at]));
    const ways = { down: columns, left: rows.map(row => [...row].reverse()), right: rows };
    console.log(game, Object.keys(ways).find(way => slides(ways[way])) ?? "up");
  }
});
