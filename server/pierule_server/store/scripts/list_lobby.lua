#!lua flags=no-writes
-- What the lobby shows of a bucket.
--
-- KEYS  1 rooms (sorted set)  2 cards (hash)  3 deadlines (sorted set), as in append.lua; the cards
--         with the rooms' origins (note_room_origin.lua)
--       4 seeks (hash), as in seek.lua
--       5 audience (hash: node -> `UNTIL ROOM COUNT ROOM COUNT ...`)
-- ARGV  1 limit   rooms of each game and part (paging.py)
--       2 scanned   rooms to look at: this many of the latest open ones, and of the running ones
--       3 life    how long a seek may wait, in milliseconds
--       4 stay  5 slow_stay   as in page_of_rooms.lua
--       6 share   rooms of each game, part and origin that come before those of other origins
-- Returns {{part, score, room, card, origin, ...}, {pool, user, ...}, {`ROOM COUNT ...`, ...}}.

local LIMIT, LIFE, SHARE = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[6])
local OPEN = string.format('%.0f', 2 ^ 42)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function is_away(room, card)  -- as in page_of_rooms.lua
  local slow = string.find(card, '"kind":"correspondence"', 1, true)
  local deadline = tonumber(redis.call('ZSCORE', KEYS[3], room) or 0)
  return deadline - now < ARGV[slow and 5 or 4] + 1
end

local rooms, taken, beyond = {}, {}, {}
local function take(kind, values)
  if (taken[kind] or 0) < LIMIT then
    taken[kind] = (taken[kind] or 0) + 1
    for _, value in ipairs(values) do
      rooms[#rooms + 1] = value
    end
  end
end
local function look_at(highest, lowest)
  local newest = redis.call('ZREVRANGEBYSCORE', KEYS[1], highest, lowest, 'WITHSCORES',
    'LIMIT', 0, ARGV[2])
  for i = 1, #newest, 2 do
    local room = newest[i]
    local card, origin = unpack(redis.call('HMGET', KEYS[2], room, room .. '@'))
    local part = highest ~= '+inf' and 'running' or card and is_away(room, card) and 'away' or 'here'
    local kind = card and part .. (string.match(card, '"game":"([^"]*)"') or '')
    if kind then
      origin = origin or ''
      local its = kind .. ' ' .. origin
      local values = {part, newest[i + 1], room, card, origin}
      taken[its] = (taken[its] or 0) + 1
      if taken[its] <= SHARE then
        take(kind, values)
      else
        beyond[#beyond + 1] = {kind, values}
      end
    end
  end
end
look_at('+inf', OPEN)
look_at('(' .. OPEN, '-inf')
for _, each in ipairs(beyond) do
  take(each[1], each[2])
end

local seeks = {}
local all = redis.call('HGETALL', KEYS[4])
for i = 1, #all, 2 do
  local at, lease, pool = string.match(all[i + 1], '^(%d+) (%d+) (%S+)')
  if tonumber(lease) >= now and now - tonumber(at) <= LIFE then
    seeks[#seeks + 1] = pool
    seeks[#seeks + 1] = string.match(all[i], '^%S+')
  end
end

local audiences = {}
all = redis.call('HVALS', KEYS[5])
for i = 1, #all do
  local ends, counts = string.match(all[i], '^(%d+) (.*)$')
  if tonumber(ends) >= now then
    audiences[#audiences + 1] = counts
  end
end
return {rooms, seeks, audiences}
