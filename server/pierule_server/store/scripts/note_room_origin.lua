#!lua
-- Note from which address a listed room comes, unless that is known. Changes no room.
--
-- KEYS  1 origins of rooms (hash: room -> origin)  2 rooms (sorted set), as in append.lua
-- ARGV  1 room  2 origin
-- Now and then it forgets rooms that are no longer listed, so nothing else needs to.

if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return
end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
if redis.call('HLEN', KEYS[1]) > 2 * redis.call('ZCARD', KEYS[2]) + 32 then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if not redis.call('ZSCORE', KEYS[2], all[i]) then
      redis.call('HDEL', KEYS[1], all[i])
    end
  end
end
