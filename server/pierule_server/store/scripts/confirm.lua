#!lua
-- Make sure of an entry for somebody who knows of it, but not whether enough replicas do.
--
-- KEYS  1 log (stream)  2 mark (string) of the room's bucket  3 put away (string)
-- ARGV  1 epoch  2 seq  3 chain   of the entry; 0 0 0: there is no such room
-- Returns how many entries the log has from there on, if that is less than 2, else 2; nil if the
-- log does not hold it.
--
-- WAIT waits for the latest write of its own connection, so one is made here: whoever has that
-- has all that was written before, and follows nobody else.

local id = ARGV[2] .. '-0'
local found = redis.call('XRANGE', KEYS[1], id, '+', 'COUNT', 2)
local entry = found[1]
local held
if ARGV[2] == '0' then
  held = not entry and redis.call('EXISTS', KEYS[3]) == 0
else
  held = entry and entry[1] == id and entry[2][2] == ARGV[1] and entry[2][4] == ARGV[3]
end
if not held then
  return false
end
redis.call('SET', KEYS[2], ARGV[2])
return #found
