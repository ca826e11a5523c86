#!lua
-- Compare, append, number, publish: one step (law 3). This is the only way in which a room changes.
--
-- KEYS  1 log (stream)  2 rooms (sorted set)  3 cards (hash)  4 deadlines (sorted set)
--       5 clock (hash: '' -> heartbeat, room -> what it lost, `FROM TO`)
--       6 finished (sorted set); all in the room's bucket; to make a room also
--       7 put away (string): another room with this id may have been put away; to end a room
--         because a player is gone
--       7 seen (sorted set: `ROOM SEAT` -> when that player was there, '' -> an outage's end);
--       to end a room or void its result, the last one is unarchived (sorted set), as in
--       unarchived.lua
-- ARGV  1 channel  2 room
--       3 epoch  4 seq  5 chain   where the caller expects the log to end; 0 0 0: no log yet
--       6 epoch                   of the entry: the log's, or a later one, which it begins
--       7 partial                 CRC-32 of the entry up to its time (chain_record)
--       8 record                  JSON text
--       9 card                    what listings show; empty: the room is not listed; =: as before.
--                                 Its "at" becomes the entry's time
--       10 timing                 any, in_time (not after the deadline), due (after it)
--       11 stale                  the age of a heartbeat that shows an outage, in milliseconds
--       12 rule  13 ms            the deadline becomes: none (the room is over), keep, in ms from
--                                 now, moved by ms, idle: in ms, but not on a clock, or void: as keep,
--                                 but the archive must learn of the entry
--       14 credit                 what the entry gives back, `FROM TO`; empty: nothing
--       15 absent                 `SEAT SEEN UNTIL`: append only if this player was last there at
--                                 SEEN, and the time is not before UNTIL; empty: no condition
--       16 names                  JSON text kept beside the record, and published behind it;
--                                 empty: none
-- Returns {epoch, seq, chain, time} of the new entry; nil if the log ends elsewhere, or if the room
-- has not lost exactly what the entry gives back; {'lost'} if an outage must be given back first;
-- {'late', by} or {'early'} if the deadline has passed or has not; {'seen'} if the player was there
-- since, {'awaited', for} if the time is before UNTIL.
--
-- An error in a script does not roll back. So the script checks everything before its first write.
-- Its first line makes the store refuse beforehand what it would refuse midway (out of memory, a
-- replica, a full disk).
-- The channel is not a key: while its slot migrates, a key that does not exist means TRYAGAIN. For
-- the same reason `put away` is a key only when a room is made, because then there is no log anyway.

local CHANNEL, ROOM, RECORD, CARD, CREDIT = ARGV[1], ARGV[2], ARGV[8], ARGV[9], ARGV[14]
local NAMES = ARGV[16]
local SAFE, WORD = 2 ^ 53 - 2, 2 ^ 32 - 1

local function number(index, limit)
  local text = ARGV[index]
  local value = string.find(text, '^%d+$') and tonumber(text)
  if not value or value > limit then
    error({err = 'ERR append: argument ' .. index .. ' is no number up to ' .. limit})
  end
  return value
end

local TIMING, RULE = ARGV[10], ARGV[12]
local TOLD = RULE == 'none' or RULE == 'void'
if #ARGV ~= 16 or #KEYS ~= ((ARGV[4] == '0' or ARGV[15] ~= '') and 7 or 6) + (TOLD and 1 or 0) then
  error({err = 'ERR append: takes 16 arguments and 6 keys; one more to make a room or claim it, and to end it'})
end
if TIMING ~= 'any' and TIMING ~= 'in_time' and TIMING ~= 'due' then
  error({err = 'ERR append: no such timing'})
end
if not string.find(' none keep in by idle void ', ' ' .. RULE .. ' ', 1, true) then
  error({err = 'ERR append: no such rule for the deadline'})
end
if CHANNEL == '' or ROOM == '' or RECORD == '' then
  error({err = 'ERR append: channel, room and record must not be empty'})
end
local epoch, seq, chain = number(3, SAFE), number(4, SAFE), number(5, WORD)
local its_epoch, partial = number(6, SAFE), number(7, WORD)
local stale, ms = number(11, SAFE), number(13, SAFE)
local credited_to = tonumber(string.match(CREDIT, '^%d+ (%d+)$') or (CREDIT == '' and 0))
if not credited_to then
  error({err = 'ERR append: argument 14 is no time lost'})
end
local absent, seen, awaited = string.match(ARGV[15], '^([01]) (%d+) (%d+)$')
if ARGV[15] ~= '' and (not absent or ARGV[4] == '0') then
  error({err = 'ERR append: argument 15 is no absence, or of no room'})
end
if its_epoch < math.max(epoch, 1) then
  error({err = 'ERR append: argument 6 is an epoch gone by'})
end

-- Compare. A key of a wrong type must raise its error here, before the first write.
local last_epoch, last_seq, last_chain, last_at = 0, 0, 0, 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  last_seq = tonumber(string.match(last[1], '^(%d+)-0$'))
  last_epoch, last_chain, last_at = tonumber(last[2][2]), tonumber(last[2][4]), tonumber(last[2][6])
end
local listed
if CARD ~= '=' then
  listed = tonumber(redis.call('ZSCORE', KEYS[2], ROOM) or nil)
  redis.call('HLEN', KEYS[3])
end
local deadline = tonumber(redis.call('ZSCORE', KEYS[4], ROOM) or nil)
local clock = redis.call('HMGET', KEYS[5], '', ROOM)
local heartbeat, lost = tonumber(clock[1] or nil), clock[2]
-- If this room has a deadline, nodes look after the bucket's deadlines already.
local dated = deadline and 2 or redis.call('ZCARD', KEYS[4])
if RULE == 'none' or not deadline then
  redis.call('ZCARD', KEYS[6])
end
if TOLD then
  redis.call('ZCARD', KEYS[#KEYS])
end
local put_away = seq == 0 and redis.call('EXISTS', KEYS[7]) == 1
local last_seen = 0
if absent then
  for _, name in ipairs({ROOM .. ' ' .. absent, ''}) do
    last_seen = math.max(last_seen, tonumber(redis.call('ZSCORE', KEYS[7], name) or 0))
  end
end
if put_away or epoch ~= last_epoch or seq ~= last_seq or chain ~= last_chain then
  return false
end
-- Another node may have given it back, and our caller may have caught up to that very place since.
if CREDIT ~= '' and CREDIT ~= lost then
  return false
end

-- Number and stamp. Redis lets TIME advance inside a script, Valkey does not: one call.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local at = math.max(now, last_at, credited_to)
local digits = string.format('%.0f', at)

-- Decide between an action and a time-out. A deadline that is not on a clock ends in half a
-- millisecond: an outage takes nothing from it. The heartbeat's age comes from the clock alone,
-- because the log's time stands still after the clock was set back.
local away = lost or not heartbeat or now - heartbeat > stale
if TIMING ~= 'any' and ((deadline and deadline % 1 == 0) or absent) and away then
  return {'lost'}
end
if TIMING == 'in_time' and deadline and at > deadline then
  return {'late', math.ceil(at - deadline)}
end
if TIMING == 'due' and not (deadline and at > deadline) then
  return {'early'}
end
if absent and last_seen ~= tonumber(seen) then
  return {'seen'}
end
if absent and at < tonumber(awaited) then
  return {'awaited', tonumber(awaited) - at}
end
epoch, seq = its_epoch, seq + 1

-- Continue the chain over the digits (chain_time): CRC-32, four bits at a time. Arithmetic is
-- faster than a call where it is enough.
local NIBBLE = {
  [0] = 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158,
  0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4,
  0xa00ae278, 0xbdbdf21c,
}
local bxor, crc = bit.bxor, WORD - partial
for _, digit in ipairs({string.byte(digits, 1, -1)}) do
  crc = bxor(crc, digit) % 2 ^ 32
  local low = crc % 16
  crc = bxor((crc - low) / 16, NIBBLE[low]) % 2 ^ 32
  low = crc % 16
  crc = bxor((crc - low) / 16, NIBBLE[low]) % 2 ^ 32
end
chain = WORD - crc

-- Write and publish.
local function decimal(value)
  return string.format('%.0f', value)
end
local seq_text, chain_text = decimal(seq), decimal(chain)
redis.call('XADD', KEYS[1], seq_text .. '-0', 'epoch', ARGV[6], 'chain', chain_text, 'at', digits,
  'record', RECORD, unpack(NAMES ~= '' and {'names', NAMES} or {}))
if CARD == '' then
  redis.call('ZREM', KEYS[2], ROOM)
  redis.call('HDEL', KEYS[3], ROOM, ROOM .. '@')  -- with its origin (note_room_origin.lua)
elseif CARD ~= '=' then
  -- The place in lists does not change while the room is open, or while its game runs (paging.py).
  local OPEN = 2 ^ 42
  local open = string.find(CARD, '"status":"open"', 1, true) ~= nil
  if not listed or (listed >= OPEN) ~= open then
    redis.call('ZADD', KEYS[2], decimal(open and at + OPEN or at), ROOM)
  end
  redis.call('HSET', KEYS[3], ROOM, (string.gsub(CARD, '"at":%d+', '"at":' .. digits, 1)))
end
if dated == 0 or (dated == 1 and (RULE == 'in' or RULE == 'idle')) then
  -- Until now no node looked after this bucket's deadlines, so begin its heartbeat. The entry ''
  -- keeps the sets from vanishing, for the same reason why the channel is not a key.
  redis.call('ZADD', KEYS[4], '+inf', '')
  redis.call('ZADD', KEYS[6], '+inf', '')
  redis.call('HSET', KEYS[5], '', digits)
end
if RULE == 'none' then
  redis.call('ZREM', KEYS[4], ROOM)
  redis.call('ZADD', KEYS[6], digits, ROOM)
elseif RULE == 'idle' then
  redis.call('ZADD', KEYS[4], decimal(at + ms) .. '.5', ROOM)
elseif RULE == 'in' or (RULE == 'by' and deadline) then
  redis.call('ZADD', KEYS[4], decimal((RULE == 'in' and at or deadline) + ms), ROOM)
end
if TOLD then
  redis.call('ZADD', KEYS[#KEYS], digits, ROOM)
end
if CREDIT ~= '' or RULE == 'none' then
  redis.call('HDEL', KEYS[5], ROOM)
end
redis.call('SPUBLISH', CHANNEL, 'entry ' .. ARGV[6] .. ' ' .. seq_text .. ' '
  .. chain_text .. ' ' .. digits .. ' ' .. #RECORD .. ' ' .. RECORD .. NAMES)
return {epoch, seq, chain, at}
