#!lua
-- Look after the deadlines of buckets: write their heartbeats, find due rooms. Changes no room.
--
-- KEYS  of each bucket: deadlines (sorted set), clock (hash), seen (sorted set), all as in
--       append.lua. In a cluster: of one bucket
-- ARGV  1 interval  2 stale   ages of a heartbeat, in milliseconds: from the first on, write a new
--                             one; over the second, the store or all nodes were away
--       3 limit               how many rooms of a bucket to name
-- Returns {now, {rooms past their deadline}, {rooms that lost time}, the first deadline (inf: none)}.
--
-- A stale heartbeat means that nobody could act or time out since then. So this marks that time as
-- lost for every room with a deadline on a clock (in whole milliseconds; see append.lua), and
-- `append` refuses timed entries there until it is given back. Nobody knows who was there meanwhile.

local INTERVAL, STALE, LIMIT = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local digits = string.format('%.0f', now)
local due, lost, first = {}, {}, math.huge

local function mark_lost(deadlines, clock, seen, heartbeat)
  local from = string.format('%.0f', heartbeat)
  redis.call('ZADD', seen, 'GT', digits, '')
  local dated = redis.call('ZRANGE', deadlines, 0, -2, 'WITHSCORES')
  for i = 1, #dated, 2 do
    local room = dated[i]
    if tonumber(dated[i + 1]) % 1 == 0 then
      -- If an earlier loss was not given back yet, both are one loss.
      local earlier = redis.call('HGET', clock, room)
      redis.call('HSET', clock, room, (earlier and string.match(earlier, '^%d+') or from)
        .. ' ' .. digits)
    end
  end
end

local function look_after(deadlines, clock, seen)
  local heartbeat = tonumber(redis.call('HGET', clock, '') or nil)
  -- A heartbeat in the future shows that the clock was set back. Replace it now: it would hide every
  -- outage until the clock has caught up.
  if not heartbeat or now < heartbeat or now - heartbeat >= INTERVAL then
    if heartbeat and now - heartbeat > STALE then
      mark_lost(deadlines, clock, seen, heartbeat)
    end
    redis.call('HSET', clock, '', digits)
  end
  local deadline = tonumber(redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')[2])
  first = math.min(first, deadline)
  if deadline < now then
    for _, room in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '-inf', '(' .. digits,
      'LIMIT', 0, LIMIT)) do
      due[#due + 1] = room
    end
  end
  for _, room in ipairs(redis.call('HRANDFIELD', clock, LIMIT)) do
    if room ~= '' then
      lost[#lost + 1] = room
    end
  end
end

for i = 1, #KEYS, 3 do
  if redis.call('ZCARD', KEYS[i]) > 1 then
    look_after(KEYS[i], KEYS[i + 1], KEYS[i + 2])
  end
end
return {now, due, lost, string.format('%.0f', first)}
