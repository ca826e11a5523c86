#!lua flags=allow-oom
-- The queue for the archive: rooms that are over, `ROOM`, and users whose names it must forget,
-- `@USER`. append.lua adds a room at its end, and again when its result is voided. Changes no room.
-- It may run when memory is full, because archived rooms free memory.
--
-- look   KEYS  1 unarchived (sorted set: name -> when it happened; '' -> 1 if a node with an archive
--                was ever here; else 0, and then what waits is forgotten in time)
--        ARGV  2 archive   1: the caller has one; 0: it has not; -1: from now on nobody has
--              3 limit     how many to name, the oldest first
--        Returns {how many wait, whether there is an archive, {name, when, ...}}. The entry '' keeps
--        the set from vanishing (see append.lua).
-- put    KEYS  1 unarchived
--        ARGV  2 name      add it, if there is an archive
-- done   KEYS  1 unarchived  2 archive (string)  3 and 4 lines of the room's chat; of a user only 1
--        ARGV  2 name  3 when       as returned by `look`
--              4 retention          how much longer to keep the room, in milliseconds
--        Returns 1; nil if the entry has changed since.
-- lease  KEYS  1 archivist (string: the node that writes to the archive)
--        ARGV  2 node  3 how long   in milliseconds; 0: no longer
--        Returns 1; nil if another node does.

local VERB, KEY = ARGV[1], KEYS[1]

if VERB == 'look' then
  local known = redis.call('ZSCORE', KEY, '')
  if not known or (ARGV[2] == '1' and known ~= '1') or (ARGV[2] == '-1' and known ~= '0') then
    known = ARGV[2] == '1' and '1' or '0'
    redis.call('ZADD', KEY, known, '')
  end
  -- '' comes first: times are later.
  local names = redis.call('ZRANGE', KEY, 1, ARGV[3], 'WITHSCORES')
  return {redis.call('ZCARD', KEY) - 1, tonumber(known), names}
end

if VERB == 'put' then
  if redis.call('ZSCORE', KEY, '') == '1' then
    local time = redis.call('TIME')
    redis.call('ZADD', KEY, time[1] * 1000 + math.floor(time[2] / 1000), ARGV[2])
  end
  return 1
end

if VERB == 'done' then
  local when = redis.call('ZSCORE', KEY, ARGV[2])
  if not when or tonumber(when) ~= tonumber(ARGV[3]) then
    return false
  end
  redis.call('ZREM', KEY, ARGV[2])
  if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then
    for index = 2, #KEYS do
      if ARGV[4] == '0' then
        redis.call('UNLINK', KEYS[index])
      else
        redis.call('PEXPIRE', KEYS[index], ARGV[4])
      end
    end
  end
  return 1
end

if VERB == 'lease' then
  local holder = redis.call('GET', KEY)
  if holder and holder ~= ARGV[2] then
    return false
  end
  if ARGV[3] == '0' then
    redis.call('DEL', KEY)
  else
    redis.call('SET', KEY, ARGV[2], 'PX', ARGV[3])
  end
  return 1
end

error({err = 'ERR unarchived: no such verb'})
