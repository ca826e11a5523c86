#!lua
-- Set how many spectators a node serves in a bucket's rooms, for a while; forget expired counts.
--
-- KEYS  1 audience (hash: node -> `UNTIL ROOM COUNT ROOM COUNT ...`)
-- ARGV  1 node  2 counts  `ROOM COUNT ROOM COUNT ...`; empty: none   3 lease, in milliseconds

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if tonumber(string.match(all[i + 1], '^%d+')) < now then
    redis.call('HDEL', KEYS[1], all[i])
  end
end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[3]) .. ' ' .. ARGV[2])
end
return 1
