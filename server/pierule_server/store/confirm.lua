#!lua
-- Make sure of an entry for somebody who knows of it, but not whether enough replicas do.
--
-- KEYS  1 log (stream)  2 mark (string) of the room's bucket
-- ARGV  1 epoch  2 seq  3 chain   of the entry
-- Returns 1 if the log holds it, nil if it does not.
--
-- WAIT waits for the latest write of its own connection, so one is made here: whoever has that
-- has all that was written before.

local id = ARGV[2] .. '-0'
local entry = redis.call('XRANGE', KEYS[1], id, id)[1]
if not entry or entry[2][2] ~= ARGV[1] or entry[2][4] ~= ARGV[3] then
  return false
end
redis.call('SET', KEYS[2], ARGV[2])
return 1
