-- Plays 2048: makes the first legal move of down, left, right and up.
-- The protocol is docs/PROTOCOL.md of gauntlet.
io.stdout:setvbuf("line") -- flush after each line

-- Returns true if a tile can move one step. `next` is the distance to its neighbour, `across` the distance to the next line.
local function slides(cells, from, next, across)
  for line = 0, 3 do
    for i = 0, 2 do
      local at = from + line * across + i * next
      local tile, neighbour = cells[at], cells[at + next]
      if tile ~= "0" and (neighbour == "0" or tile == neighbour) then return true end
    end
  end
  return false
end

for line in io.lines() do
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  if words[1] == "gauntlet" then print("ready first.lua 1") end
  if words[1] == "move" then
    local cells = {}
    for i = 1, 16 do cells[i] = words[i + 2] end
    local move = slides(cells, 1, 4, 1) and "down" or slides(cells, 4, -1, 4) and "left"
      or slides(cells, 1, 1, 4) and "right" or "up"
    print(words[2] .. " " .. move)
  end
end
