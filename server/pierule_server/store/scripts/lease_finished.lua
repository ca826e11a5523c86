#!lua flags=allow-oom
-- Name rooms of a bucket that are over, and lease them to the caller for a while, so two nodes do
-- not put the same room away. Changes no room.
--
-- KEYS  1 finished (sorted set: when a room ended, or later while a node has the lease)
-- ARGV  1 after   how long a room must have been over   2 claim   how long the lease lasts;
--                 both in milliseconds                  3 limit   how many rooms to name
-- Returns the rooms.

local AFTER, CLAIM, LIMIT = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local ended = time[1] * 1000 + math.floor(time[2] / 1000) - AFTER
local rooms = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', ended),
  'LIMIT', 0, LIMIT)
for _, room in ipairs(rooms) do
  redis.call('ZADD', KEYS[1], string.format('%.0f', ended + CLAIM), room)
end
return rooms
