#!lua flags=allow-oom
-- Put away the log of a room that is over. Changes no room, only where its log is kept (law 3).
-- It may run when memory is full, because it frees more than it takes.
--
-- KEYS  1 log (stream)  2 put away (string)  3 finished (sorted set), as in append.lua
--       4 and 5 lines of the room's chat (streams), which go when the log goes
--       6 seen (sorted set), as in append.lua: nobody waits for its players any more
--       7 unarchived (sorted set), as in unarchived.lua: a room in it must not expire
-- ARGV  1 room
--       2 epoch  3 seq  4 chain   where the packed log ends
--       5 packed                  the whole log (put_away.py)
--       6 retention               how long to keep it, in milliseconds; empty: do not keep it
-- Returns 1; nil if the log ends elsewhere: it has more entries, or another node was faster.

if #KEYS ~= 7 or #ARGV ~= 6 or ARGV[1] == '' or ARGV[5] == '' then
  error({err = 'ERR put_away: takes 7 keys and 6 arguments'})
end
local RETENTION = ARGV[6]
if not string.find(RETENTION, '^%d*$') or #RETENTION > 15 then
  error({err = 'ERR put_away: the retention is no number'})
end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[6])
local wanted = redis.call('ZSCORE', KEYS[7], '') == '1'
local waits = wanted and RETENTION ~= '' and redis.call('ZSCORE', KEYS[7], ARGV[1])
if not last then
  redis.call('ZREM', KEYS[3], ARGV[1])
  return false
end
if last[1] ~= ARGV[3] .. '-0' or last[2][2] ~= ARGV[2] or last[2][4] ~= ARGV[4] then
  return false
end
if waits then
  redis.call('SET', KEYS[2], ARGV[5])
elseif RETENTION ~= '' and RETENTION ~= '0' then
  redis.call('SET', KEYS[2], ARGV[5], 'PX', RETENTION)
  redis.call('PEXPIRE', KEYS[4], RETENTION)
  redis.call('PEXPIRE', KEYS[5], RETENTION)
else
  redis.call('UNLINK', KEYS[4], KEYS[5])
end
if RETENTION == '' or (RETENTION == '0' and not waits) then
  redis.call('ZREM', KEYS[7], ARGV[1])
elseif not wanted then
  -- Without an archive no node takes rooms out of the set. It keeps the rooms that the store still
  -- has, for a later archive.
  local time = redis.call('TIME')
  local gone = time[1] * 1000 + math.floor(time[2] / 1000) - RETENTION
  redis.call('ZREMRANGEBYSCORE', KEYS[7], '(1', string.format('%.0f', gone))
end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1] .. ' 0', ARGV[1] .. ' 1')
return 1
