#!lua
-- Look after the deadlines of a bucket: write its heartbeat, find what is due. Changes no room.
--
-- KEYS  1 deadlines (sorted set)  2 clock (hash)  3 seen (sorted set), all as in append.lua
-- ARGV  1 interval  2 stale   the ages of the heartbeat at which it is written anew, and at which
--                             it shows that the store or all nodes were away; milliseconds
--       3 limit               how many rooms to name
-- Returns {now, {rooms past their deadline}, {rooms that lost time}}.
--
-- A stale heartbeat means that nobody could act or time out since: every room with a deadline on
-- a clock (in whole milliseconds; see append.lua) is marked as having lost that time, and `append`
-- lets nothing pass there until it is given back. Nor could anybody tell who was there meanwhile.

local INTERVAL, STALE, LIMIT = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local digits = string.format('%.0f', now)
if redis.call('ZCARD', KEYS[1]) <= 1 then
  return {now, {}, {}}
end
local heartbeat = tonumber(redis.call('HGET', KEYS[2], '') or nil)
-- One that is ahead shows that the clock was set back: another one is written at once, for it
-- would hide every outage until the clock has caught up.
if not heartbeat or now < heartbeat or now - heartbeat >= INTERVAL then
  if heartbeat and now - heartbeat > STALE then
    local from = string.format('%.0f', heartbeat)
    redis.call('ZADD', KEYS[3], 'GT', digits, '')
    local dated = redis.call('ZRANGE', KEYS[1], 0, -2, 'WITHSCORES')
    for i = 1, #dated, 2 do
      local room = dated[i]
      if tonumber(dated[i + 1]) % 1 == 0 then
        -- One that was lost and not yet credited is lost from then on.
        local earlier = redis.call('HGET', KEYS[2], room)
        redis.call('HSET', KEYS[2], room, (earlier and string.match(earlier, '^%d+') or from)
          .. ' ' .. digits)
      end
    end
  end
  redis.call('HSET', KEYS[2], '', digits)
end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. digits, 'LIMIT', 0, LIMIT)
local lost = {}
for _, room in ipairs(redis.call('HRANDFIELD', KEYS[2], LIMIT)) do
  if room ~= '' then
    lost[#lost + 1] = room
  end
end
return {now, due, lost}
