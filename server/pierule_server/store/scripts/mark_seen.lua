#!lua
-- Note which players are there now (presence is not part of any log).
--
-- KEYS  1 seen (sorted set: `ROOM SEAT` -> when that player was there, in ms; see append.lua)
-- ARGV  1 keep   how long to remember it, in milliseconds
--       2 ...    `ROOM SEAT` of each
-- Returns nothing. Times never fall, so nodes that serve the same player agree.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[1]))
local digits = string.format('%.0f', now)
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], 'GT', digits, ARGV[i])
end
return false
