#!lua flags=no-writes
-- What the lobby shows of a bucket.
--
-- KEYS  1 rooms (sorted set)  2 cards (hash), as in append.lua  3 seeks (hash), as in seek.lua
--       4 audience (hash: node -> `UNTIL ROOM COUNT ROOM COUNT ...`)
-- ARGV  1 limit   rooms of each status   2 scanned   rooms looked at, the latest first
--       3 life    how long a seek may wait, in milliseconds
-- Returns {{room's time, card, ...}, {pool, user, ...}, {`ROOM COUNT ...`, ...}}.

local LIMIT, LIFE = tonumber(ARGV[1]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local rooms = {}
local newest = redis.call('ZREVRANGE', KEYS[1], 0, ARGV[2] - 1, 'WITHSCORES')
local left = {open = LIMIT, running = LIMIT}
for i = 1, #newest, 2 do
  local card = redis.call('HGET', KEYS[2], newest[i])
  local status = card and string.match(card, '"status":"(%a+)"')
  if status and (left[status] or 0) > 0 then
    left[status] = left[status] - 1
    rooms[#rooms + 1] = newest[i + 1]
    rooms[#rooms + 1] = card
  end
end

local seeks = {}
local all = redis.call('HGETALL', KEYS[3])
for i = 1, #all, 2 do
  local at, lease, pool = string.match(all[i + 1], '^(%d+) (%d+) (%S+)')
  if tonumber(lease) >= now and now - tonumber(at) <= LIFE then
    seeks[#seeks + 1] = pool
    seeks[#seeks + 1] = string.match(all[i], '^%S+')
  end
end

local audiences = {}
all = redis.call('HVALS', KEYS[4])
for i = 1, #all do
  local ends, counts = string.match(all[i], '^(%d+) (.*)$')
  if tonumber(ends) >= now then
    audiences[#audiences + 1] = counts
  end
end
return {rooms, seeks, audiences}
