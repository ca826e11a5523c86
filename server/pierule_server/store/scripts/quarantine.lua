#!lua flags=allow-oom
-- Put a room with a damaged log into quarantine, release it, or forget it. Changes no room: its log
-- stays as it is. In quarantine the room has no deadline, and is neither listed nor put away, so no
-- node comes across it. This may run when memory is full: it takes little, and a damaged room that
-- nodes try again and again would take more.
--
-- KEYS  1 quarantine (hash: room -> JSON text)
--       2 deadlines  3 finished  4 rooms (sorted sets)  5 cards  6 clock (hashes), as in append.lua
--       7 unarchived (sorted set), as in unarchived.lua
-- ARGV  1 room   2 channel
--       3 why    JSON text; empty: release it; `forget`: remove everything that names the room
-- Returns 1; nil if the room was in quarantine already; on release, if it was not; on `forget`, if
-- nothing named it.
--
-- A running clock loses the time in quarantine, and gets it back like the time of an outage.

local ROOM, WHY = ARGV[1], ARGV[3]
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local kept = redis.call('HGET', KEYS[1], ROOM)

if WHY == 'forget' then
  local gone = 0
  for _, index in pairs({2, 3, 4, 7}) do
    gone = gone + redis.call('ZREM', KEYS[index], ROOM)
  end
  for _, index in pairs({1, 5, 6}) do
    gone = gone + redis.call('HDEL', KEYS[index], ROOM)
  end
  redis.call('HDEL', KEYS[5], ROOM .. '@')
  return gone > 0 and 1 or false
end

if WHY ~= '' then
  local it = {why = WHY, at = now, card = redis.call('HGET', KEYS[5], ROOM) or nil}
  local lost = redis.call('HGET', KEYS[6], ROOM)
  it.from = lost and string.match(lost, '^%d+') or now
  for index, name in pairs({[2] = 'deadline', [3] = 'finished', [4] = 'listed', [7] = 'unarchived'}) do
    it[name] = redis.call('ZSCORE', KEYS[index], ROOM) or nil
    redis.call('ZREM', KEYS[index], ROOM)
  end
  redis.call('HDEL', KEYS[5], ROOM, ROOM .. '@')
  redis.call('HDEL', KEYS[6], ROOM)
  redis.call('SPUBLISH', ARGV[2], 'aside')
  if kept then
    return false
  end
  redis.call('HSET', KEYS[1], ROOM, cjson.encode(it))
  return 1
end

if not kept then
  return false
end
local it = cjson.decode(kept)
for index, name in pairs({[2] = 'deadline', [3] = 'finished', [4] = 'listed', [7] = 'unarchived'}) do
  if it[name] then
    redis.call('ZADD', KEYS[index], it[name], ROOM)
  end
end
if it.card then
  redis.call('HSET', KEYS[5], ROOM, it.card)
end
if it.deadline and tonumber(it.deadline) % 1 == 0 then
  redis.call('HSET', KEYS[6], ROOM, it.from .. ' ' .. now)
end
redis.call('HDEL', KEYS[1], ROOM)
return 1
