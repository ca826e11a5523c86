#!lua flags=no-writes
-- The due calls of a bucket, the oldest first, at most one of each user: so a user with many calls
-- does not delay others.
--
-- KEYS  1 calls   as in webhook.lua
-- ARGV  1 limit   how many to name   2 scanned  how many to look through for that
-- Returns {`USER NAME`, ...}.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now),
  'LIMIT', 0, ARGV[2])
local named, known = {}, {}
for _, call in ipairs(due) do
  local user = string.match(call, '^%S+')
  if not known[user] then
    known[user] = true
    named[#named + 1] = call
    if #named == tonumber(ARGV[1]) then
      break
    end
  end
end
return named
