#!lua
-- Keep a user's report, unless there are too many; count it if it is known. Changes no room.
--
-- KEYS  1 reports (hash)
-- ARGV  1 room  2 what it is about: the name of the report, which begins with the room
--       3 report  JSON text, which begins with its `count`
--       4 room's  5 all   the most open reports about one room, and in all
-- Returns 1 if it is kept or counted; 0 if not.

local known = redis.call('HGET', KEYS[1], ARGV[2])
if known then
  local count, rest = string.match(known, '^{"count":(%d+)(.*)$')
  if count then
    redis.call('HSET', KEYS[1], ARGV[2], '{"count":' .. string.format('%d', count + 1) .. rest)
  end
  return 1
end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then
  return 0
end
local start, own = ARGV[1] .. '/', 0
for _, other in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(other, 1, #start) == start then
    own = own + 1
  end
end
if own >= tonumber(ARGV[4]) then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
