#!lua
-- Claim a name for a user, or release it. Changes no room.
--
-- KEYS  1 name (string: `USER SINCE`)
-- ARGV  1 verb   claim, or release
--       2 user
--       3 instead   take over the claim of this user   4 if it is this old, in milliseconds
--       5 life   how long to keep a new claim, in milliseconds; of a released one that has no end:
--                how long it stays reserved for the user, 0: not at all
-- Returns the owner after that; nil: nobody.

local USER = ARGV[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('GET', KEYS[1])
local owner, since = USER, now
if kept then
  owner, since = string.match(kept, '^(%S+) (%d+)$')
end
if ARGV[1] == 'release' then
  if kept and owner == USER and ARGV[5] == '0' then
    redis.call('DEL', KEYS[1])
    return false
  end
  if kept and owner == USER and redis.call('PTTL', KEYS[1]) == -1 then
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
  end
  return kept and owner
end
if owner == ARGV[3] and now - tonumber(since) > tonumber(ARGV[4]) then
  owner = USER
end
if owner == USER then
  local text = USER .. ' ' .. string.format('%.0f', now)
  if kept and string.match(kept, '^%S+') == USER then
    redis.call('SET', KEYS[1], text, 'KEEPTTL')
  else
    redis.call('SET', KEYS[1], text, 'PX', ARGV[5])
  end
end
return owner
