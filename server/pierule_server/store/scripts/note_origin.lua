#!lua
-- Note that a room was made from an address. Changes no room.
--
-- KEYS  1 the address's rooms (sorted set, by the time of the note in microseconds)
-- ARGV  1 room  2 most: how many rooms are allowed  3 life of the set, in milliseconds
--       4 limit: how many to name
-- Returns the oldest of the rooms that are more than `most`.

local now = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', now[1] * 1000000 + now[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local over = math.min(redis.call('ZCARD', KEYS[1]) - ARGV[2], tonumber(ARGV[4]))
return over > 0 and redis.call('ZRANGE', KEYS[1], 0, over - 1) or {}
