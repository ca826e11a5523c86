#!lua flags=no-writes
-- Shares of buckets of a page of rooms. See `paging.py` for parts, scores and positions.
--
-- KEYS  of each bucket: rooms (sorted set), cards (hash), deadlines (sorted set), all as in
--       append.lua. In a cluster: of one bucket
-- ARGV  1 part                open rooms whose makers are `here` or `away`; `running`
--       2 lowest  3 highest   scores of that part
--       4 at  5 room          go on after this position; empty: from the highest
--       6 limit               rooms to return   7 scanned   rooms to look at for that; of a bucket
--       8 stay  9 slow_stay   how long an open room stays if nobody waits in it, in milliseconds:
--                             in ordinary games, and by correspondence
--       10 ...                texts that a card must contain
-- Returns {{at, room, {at, room, card, ...}}, ...}: of each bucket, first where it stopped (an empty
-- room: at the end).

local PART, LOWEST, AT, ROOM = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local LIMIT, SCANNED = tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- While somebody waits in an open room, nodes extend its deadline (extend_open_rooms.lua).
local function is_away(card, deadline)
  local slow = string.find(card, '"kind":"correspondence"', 1, true)
  return tonumber(deadline or 0) - now < ARGV[slow and 9 or 8] + 1
end

local function is_meant(card, deadline)
  for i = 10, #ARGV do
    if not string.find(card, ARGV[i], 1, true) then
      return false
    end
  end
  return PART == 'running' or is_away(card, deadline) == (PART == 'away')
end

local function newest(rooms)
  local highest, skipped = ARGV[3], 0
  if ROOM ~= '' then
    highest = AT
    for _, room in ipairs(redis.call('ZRANGEBYSCORE', rooms, AT, AT)) do
      skipped = skipped + (room >= ROOM and 1 or 0)
    end
  end
  return redis.call('ZREVRANGEBYSCORE', rooms, highest, LOWEST, 'WITHSCORES', 'LIMIT', skipped,
    SCANNED)
end

-- A call takes longer than what it reads, so this reads as many rooms at once as may be returned.
local function share_of(rooms, cards, deadlines)
  local listed, found = newest(rooms), {}
  for first = 1, #listed, 2 * LIMIT do
    local some = {}
    for i = first, math.min(first + 2 * LIMIT, #listed) - 1, 2 do
      some[#some + 1] = listed[i]
    end
    local texts = redis.call('HMGET', cards, unpack(some))
    local times = PART == 'running' and {} or redis.call('ZMSCORE', deadlines, unpack(some))
    for i, room in ipairs(some) do
      local at, card = listed[first + 2 * i - 1], texts[i]
      if card and is_meant(card, times[i]) then
        found[#found + 1] = at
        found[#found + 1] = room
        found[#found + 1] = card
        if #found == 3 * LIMIT then
          return {at, room, found}
        end
      end
    end
  end
  if #listed == 2 * SCANNED then
    return {listed[#listed], listed[#listed - 1], found}
  end
  return {'0', '', found}
end

local shares = {}
for i = 1, #KEYS, 3 do
  shares[#shares + 1] = share_of(KEYS[i], KEYS[i + 1], KEYS[i + 2])
end
return shares
