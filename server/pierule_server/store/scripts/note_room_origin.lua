#!lua
-- Note from which address a listed room comes, unless that is known. Changes no room.
--
-- KEYS  1 cards (hash), as in append.lua: `ROOM@` has the origin of ROOM, and goes with its card
-- ARGV  1 room  2 origin

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HSETNX', KEYS[1], ARGV[1] .. '@', ARGV[2])
end
