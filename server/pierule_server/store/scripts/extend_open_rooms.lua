#!lua
-- Let open rooms stay for a while longer. Changes no room, only its deadline.
--
-- KEYS  1 deadlines (sorted set), as in append.lua
-- ARGV  ROOM MS ROOM MS ...: no room is due before this many milliseconds from now
-- Returns nothing.
--
-- A caller may not know yet that a room is no longer open. Then the room has no deadline, or one on
-- a clock (in whole milliseconds), or a later one, and this changes nothing.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #ARGV, 2 do
  local deadline = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if deadline and tonumber(deadline) % 1 ~= 0 then
    redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + ARGV[i + 1]) .. '.5', ARGV[i])
  end
end
return false
