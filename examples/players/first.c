/* Plays 2048: makes the first legal move of down, left, right and up.
   The protocol is docs/PROTOCOL.md of gauntlet. To compile:
   cc -O2 -o first first.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns 1 if a tile can move one step. `next` is the distance to its neighbour, `across` the distance to the next line. */
static int slides(const int *cell, int from, int next, int across) {
    for (int line = 0; line < 4; line++)
        for (int i = 0; i < 3; i++) {
            int a = cell[from + line * across + i * next], b = cell[from + line * across + (i + 1) * next];
            if (a && (!b || a == b)) return 1;
        }
    return 0;
}

int main(void) {
    char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0); /* flush after each line */
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "gauntlet ", 9)) puts("ready first.c 1");
        if (strncmp(line, "move ", 5)) continue;
        char *at = line + 5;
        long game = strtol(at, &at, 10);
        int cell[16];
        for (int i = 0; i < 16; i++) cell[i] = (int)strtol(at, &at, 10);
        printf("%ld %s\n", game,
               slides(cell, 0, 4, 1) ? "down" : slides(cell, 3, -1, 4) ? "left" : slides(cell, 0, 1, 4) ? "right" : "up");
    }
    return 0;
}
