#!lua
-- Replace a card. Changes no room, only what listings show of it.
--
-- KEYS  1 cards (hash), as in append.lua
-- ARGV  1 room   2 the card that the caller expects   3 the new card
-- Returns 1; nil if another card is there, or none.

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then
  return false
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
