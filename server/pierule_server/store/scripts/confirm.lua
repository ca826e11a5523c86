#!lua
-- Make sure that the log holds an entry, and, with WAIT, that enough replicas have it.
--
-- KEYS  1 log (stream)  2 mark (string) of the room's bucket  3 put away (string)
-- ARGV  1 epoch  2 seq  3 chain   of the entry; 0 0 0: there is no such room
-- Returns the number of entries from there on, at most 2; nil if the log does not hold the entry.
--
-- WAIT waits for the latest write of its own connection, so this writes something. A replica that
-- has this write has everything that was written before, and follows no other primary.

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
