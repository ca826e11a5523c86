#!lua flags=allow-oom
-- Put the log of a room that is over away. Changes no room, only where its log is kept (law 3).
-- It may run in a full memory, because it frees more than it takes.
--
-- KEYS  1 log (stream)  2 archive (string)  3 finished (sorted set), as in append.lua
--       4 and 5 lines of the room's chat (streams), which go when the archive goes
--       6 seen (sorted set), as in append.lua: nobody is awaited in it any more
-- ARGV  1 room
--       2 epoch  3 seq  4 chain   where the log that was packed ends
--       5 packed                  the whole log (archive.py)
--       6 retention               how long to keep it, in milliseconds; 0: not at all
-- Returns 1; nil if the log ends elsewhere: there is more to be packed, or somebody was faster.

if #KEYS ~= 6 or #ARGV ~= 6 or ARGV[1] == '' or ARGV[5] == '' then
  error({err = 'ERR archive: takes 6 keys and 6 arguments'})
end
if not string.find(ARGV[6], '^%d+$') or #ARGV[6] > 15 then
  error({err = 'ERR archive: the retention is no number'})
end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[6])
if not last then
  redis.call('ZREM', KEYS[3], ARGV[1])
  return false
end
if last[1] ~= ARGV[3] .. '-0' or last[2][2] ~= ARGV[2] or last[2][4] ~= ARGV[4] then
  return false
end
if ARGV[6] ~= '0' then
  redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[6])
  redis.call('PEXPIRE', KEYS[4], ARGV[6])
  redis.call('PEXPIRE', KEYS[5], ARGV[6])
else
  redis.call('UNLINK', KEYS[4], KEYS[5])
end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1] .. ' 0', ARGV[1] .. ' 1')
return 1
