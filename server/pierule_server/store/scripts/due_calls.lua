#!lua flags=no-writes
-- The calls of a bucket that are to be made by now, the oldest first, of each user one: who has many
-- is in nobody's way.
--
-- KEYS  1 calls   as in webhook.lua
-- ARGV  1 limit   how many to name   2 scanned  how many to go through for that
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
