-- Note that a user wants to hold a room, unless that is one too many. Changes no room.
--
-- KEYS  1 the user's rooms (sorted set, by the time of the note)
-- ARGV  1 room  2 most: how many rooms the user may hold; 0: any number
-- Returns 1 if the room is noted, now or before; 0 if not.

local most = tonumber(ARGV[2])
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return 1
end
if most > 0 and redis.call('ZCARD', KEYS[1]) >= most then
  return 0
end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', now[1] * 1000 + math.floor(now[2] / 1000)), ARGV[1])
return 1
