/* Plays 2048: the first of down, left, right and up that moves a tile. For gauntlet: docs/PROTOCOL.md.
   cc -O2 -o first first.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if a tile can go one step: `next` is how far its neighbour is, `across` how far the next line is. */
static int moves(const int *cell, int from, int next, int across) {
    for (int line = 0; line < 4; line++)
        for (int i = 0; i < 3; i++) {
            int a = cell[from + line * across + i * next], b = cell[from + line * across + (i + 1) * next];
            if (a && (!b || a == b)) return 1;
        }
    return 0;
}

int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line goes off at once */
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "gauntlet ", 9)) puts("ready first.c 1");
        if (strncmp(line, "move ", 5)) continue;
        char *at = line + 5;
        long game = strtol(at, &at, 10);
        int cell[16];
        for (int i = 0; i < 16; i++) cell[i] = (int)strtol(at, &at, 10);
        printf("%ld %s\n", game,
               moves(cell, 0, 4, 1) ? "down" : moves(cell, 3, -1, 4) ? "left" : moves(cell, 0, 1, 4) ? "right" : "up");
    }
    return 0;
}
