#!lua
-- Change a user's block list, unless it is full. Changes no room.
--
-- KEYS  1 the user's block list (hash: user -> mute or block)
-- ARGV  1 the other  2 level; empty: remove  3 most: how many users the list may have
--       4 life of an unused list (ms)
-- Returns 1 if it is noted, 0 if not.

if ARGV[2] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return 1
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3])
then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
