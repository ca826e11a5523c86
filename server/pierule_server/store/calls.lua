#!lua flags=no-writes
-- The calls of a bucket that are to be made by now, the oldest first.
--
-- KEYS  1 calls   as in webhook.lua
-- ARGV  1 limit   how many to name
-- Returns {`USER NAME`, ...}.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now),
  'LIMIT', 0, ARGV[1])
