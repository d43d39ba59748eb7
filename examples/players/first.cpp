// Plays 2048: makes the first legal move of down, left, right and up.
// The protocol is docs/PROTOCOL.md of gauntlet. To compile:
// c++ -O2 -o first first.cpp
#include <array>
#include <iostream>
#include <sstream>
#include <string>

using Board = std::array<int, 16>;

// Returns true if a tile can move one step. `next` is the distance to its neighbour, `across` the distance to the next line.
bool slides(const Board &cell, int from, int next, int across) {
    for (int line = 0; line < 4; line++)
        for (int i = 0; i < 3; i++) {
            int at = from + line * across + i * next;
            if (cell[at] && (!cell[at + next] || cell[at] == cell[at + next])) return true;
        }
    return false;
}

std::string choose(const Board &cell) {
    if (slides(cell, 0, 4, 1)) return "down";
    if (slides(cell, 3, -1, 4)) return "left";
    if (slides(cell, 0, 1, 4)) return "right";
    return "up";
}

int main() {
    for (std::string line, word, game; std::getline(std::cin, line);) {
        std::istringstream words(line);
        words >> word >> game;
        if (word == "gauntlet") std::cout << "ready first.cpp 1" << std::endl;
        if (word == "move") {
            Board board{};
            for (int &cell : board) words >> cell;
            std::cout << game << ' ' << choose(board) << std::endl; // endl flushes
        }
    }
}
