/* Plays 2048 in many games at the same time: makes the first legal move of down, left, right and up
   in each game. The protocol is docs/PROTOCOL.md of gauntlet. The argument is the number of games;
   without it, the player plays one game after another. A benchmark uses this player to measure
   gauntlet's own time per move, so it reads and writes large blocks. To compile:
   cc -O2 -o batched batched.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char in[1 << 16], out[1 << 16];
static size_t in_at, in_end, out_end;

static void flush(void) {
    for (size_t at = 0; at < out_end;) {
        ssize_t written = write(1, out + at, out_end - at);
        if (written <= 0) exit(1);
        at += (size_t)written;
    }
    out_end = 0;
}

static void say(const char *text) {
    size_t length = strlen(text);
    if (out_end + length > sizeof out) flush();
    memcpy(out + out_end, text, length);
    out_end += length;
}

/* Returns the next line without its line end; NULL at the end of the input. */
static char *line(void) {
    for (;;) {
        char *start = in + in_at, *end = memchr(start, '\n', in_end - in_at);
        if (end) {
            *end = 0;
            in_at = (size_t)(end + 1 - in);
            return start;
        }
        memmove(in, start, in_end - in_at);
        in_end -= in_at;
        in_at = 0;
        ssize_t got = read(0, in + in_end, sizeof in - in_end);
        if (got <= 0) return NULL;
        in_end += (size_t)got;
    }
}

static int number(char **at) {
    int value = 0;
    while (**at == ' ') ++*at;
    while (**at >= '0' && **at <= '9') value = 10 * value + *(*at)++ - '0';
    return value;
}

/* Returns 1 if a tile can move one step. `next` is the distance to its neighbour, `across` the
   distance to the next line. */
static int moves(const int *cell, int from, int next, int across) {
    for (int line = 0; line < 4; line++)
        for (int i = 0; i < 3; i++) {
            int a = cell[from + line * across + i * next], b = cell[from + line * across + (i + 1) * next];
            if (a && (!b || a == b)) return 1;
        }
    return 0;
}

int main(int count, char **words) {
    int games = count > 1 ? atoi(words[1]) : 0;
    char text[64];
    for (char *at; (at = line());) {
        if (!strncmp(at, "gauntlet ", 9)) {
            if (games) snprintf(text, sizeof text, "ready batched.c 1 batch=%d\n", games);
            say(games ? text : "ready batched.c 1\n");
            flush();
        } else if (!strncmp(at, "move ", 5)) {
            at += 5;
            int game = number(&at), cell[16];
            for (int i = 0; i < 16; i++) cell[i] = number(&at);
            char *end = text + sizeof text, *from = end;
            do *--from = (char)('0' + game % 10); while (game /= 10);
            memmove(text, from, (size_t)(end - from));
            strcpy(text + (end - from), moves(cell, 0, 4, 1) ? " down\n" : moves(cell, 3, -1, 4) ? " left\n"
                                        : moves(cell, 0, 1, 4) ? " right\n" : " up\n");
            say(text);
            if (!games) flush();
        } else if (!strcmp(at, "go")) {
            say("done\n");
            flush();
        }
    }
    return 0;
}
