#!lua flags=allow-oom
-- Sweep the pools of a bucket: forget what is over, and name pairings that no node has carried out,
-- and pools in which somebody has waited long enough for a bot.
--
-- KEYS  1 seeks  2 paired  3 pairings  4 avoids  5 traffic   as in seek.lua
-- ARGV  1 grace    forget a seek this long after its lease has ended
--       2 kept     forget a pairing this long after it was made
--       3 overdue  name a pairing at this age: its own node has not carried it out
--       4 limit    how many to name
--       5 traffic  forget a pool's traffic this long after the last seeker; all in milliseconds
-- Returns {{pairing, ...}, {pool, ...}}.

local GRACE, KEPT, OVERDUE, LIMIT, TRAFFIC =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function forget(key, pattern, before)
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if tonumber(string.match(all[i + 1], pattern)) < before then
      redis.call('HDEL', key, all[i])
      if key == KEYS[1] then
        redis.call('HDEL', KEYS[4], all[i])
      end
    end
  end
end

forget(KEYS[1], '^%d+ (%d+)', now - GRACE)
-- Until a pairing is carried out, its seekers may still ask about it.
if redis.call('ZCARD', KEYS[3]) == 0 then
  forget(KEYS[2], '^%d+', now - KEPT)
end
forget(KEYS[5], '^%d+', now - TRAFFIC)
local welcoming = {}
local all = redis.call('HVALS', KEYS[1])
for i = 1, #all do
  local at, lease, pool, who = string.match(all[i], '^(%d+) (%d+) (%S+) (.*)$')
  local after = tonumber(string.match(who, '"bot_after":(%d+)'))
  if after and tonumber(lease) >= now and now - tonumber(at) >= after * 1000 then
    welcoming[#welcoming + 1] = pool
  end
end
return {redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now - OVERDUE),
  'LIMIT', 0, LIMIT), welcoming}
