#!lua flags=no-writes
-- One bucket's share of a page of rooms. See `paging.py` for parts, scores and positions.
--
-- KEYS  1 rooms (sorted set)  2 cards (hash)  3 deadlines (sorted set), as in append.lua
-- ARGV  1 part                open rooms whose makers are `here` or `away`; `running`
--       2 lowest  3 highest   scores of that part
--       4 at  5 room          go on after this position; empty: from the highest
--       6 limit               rooms to return   7 scanned   rooms to look at for that
--       8 stay  9 slow_stay   how long an open room stays if nobody waits in it, in milliseconds:
--                             in ordinary games, and by correspondence
--       10 ...                texts that a card must contain
-- Returns {at, room, {at, room, card, ...}}: first where it stopped (an empty room: at the end).

local PART, LOWEST, AT, ROOM = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local LIMIT, SCANNED = tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- While somebody waits in an open room, nodes extend its deadline (extend_open_rooms.lua).
local function is_away(room, card)
  local slow = string.find(card, '"kind":"correspondence"', 1, true)
  local deadline = tonumber(redis.call('ZSCORE', KEYS[3], room) or 0)
  return deadline - now < ARGV[slow and 9 or 8] + 1
end

local function is_meant(room, card)
  for i = 10, #ARGV do
    if not string.find(card, ARGV[i], 1, true) then
      return false
    end
  end
  return PART == 'running' or is_away(room, card) == (PART == 'away')
end

local highest, skipped = ARGV[3], 0
if ROOM ~= '' then
  highest = AT
  for _, room in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], AT, AT)) do
    skipped = skipped + (room >= ROOM and 1 or 0)
  end
end
local found = {}
local rooms = redis.call('ZREVRANGEBYSCORE', KEYS[1], highest, LOWEST, 'WITHSCORES',
  'LIMIT', skipped, SCANNED)
for i = 1, #rooms, 2 do
  local room, at = rooms[i], rooms[i + 1]
  local card = redis.call('HGET', KEYS[2], room)
  if card and is_meant(room, card) then
    found[#found + 1] = at
    found[#found + 1] = room
    found[#found + 1] = card
    if #found == 3 * LIMIT then
      return {at, room, found}
    end
  end
end
if #rooms == 2 * SCANNED then
  return {rooms[#rooms], rooms[#rooms - 1], found}
end
return {'0', '', found}
