#!lua flags=allow-oom
-- Cut a damaged log after its last good entry. The whole log stays under another name for a while.
--
-- KEYS  1 log (stream, or whatever is there)  2 put away (string)  3 damaged (what was there)
-- ARGV  1 good   entries to keep   2 retention   of the damaged log, in milliseconds
-- Returns 1; nil if there is no log.

local GOOD, RETENTION = tonumber(ARGV[1]), ARGV[2]
local source = redis.call('EXISTS', KEYS[1]) == 1 and KEYS[1] or KEYS[2]
if redis.call('EXISTS', source) == 0 then
  return false
end
local good = GOOD > 0 and redis.call('XRANGE', source, '-', '+', 'COUNT', GOOD) or {}
redis.call('RENAME', source, KEYS[3])
redis.call('PEXPIRE', KEYS[3], RETENTION)
for _, entry in ipairs(good) do
  redis.call('XADD', source, entry[1], unpack(entry[2]))
end
return 1
