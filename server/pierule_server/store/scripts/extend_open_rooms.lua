#!lua
-- Have open rooms stay for a while longer. Changes no room, only when it is due.
--
-- KEYS  1 deadlines (sorted set), as in append.lua
-- ARGV  ROOM MS ROOM MS ...: each room is not due for so many milliseconds from now
-- Returns nothing.
--
-- A caller may not know yet that a room is not open any more. Then it has no deadline, or one on a
-- clock (in whole milliseconds), or one that is later.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 1, #ARGV, 2 do
  local deadline = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if deadline and tonumber(deadline) % 1 ~= 0 then
    redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + ARGV[i + 1]) .. '.5', ARGV[i])
  end
end
return false
