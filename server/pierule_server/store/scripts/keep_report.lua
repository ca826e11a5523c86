#!lua
-- Keep what a user reports, unless there is too much already. Changes no room.
--
-- KEYS  1 reports (hash)
-- ARGV  1 user  2 what it is about: this and the user name the report  3 report  JSON text
--       4 each  5 all   how many one user may have open, and all users together
-- Returns 1 if it is kept, by now or before; 0 if not.

local ending = '/' .. ARGV[1]
local name = ARGV[2] .. ending
if redis.call('HEXISTS', KEYS[1], name) == 1 then
  return 1
end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then
  return 0
end
local own = 0
for _, other in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(other, -#ending) == ending then
    own = own + 1
  end
end
if own >= tonumber(ARGV[4]) then
  return 0
end
redis.call('HSET', KEYS[1], name, ARGV[3])
return 1
