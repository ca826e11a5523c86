#!lua
-- Compare, number, keep, trim, publish: a line of a room's chat, in one step. Changes no room.
--
-- KEYS  1 log (stream), as in append.lua  2 lines of the channel (stream), both in the room's bucket
-- ARGV  1 where to publish  2 channel (players, spectators)
--       3 mark   names the user and the nonce: a line that is kept already is not said again
--       4 line   JSON text   5 kept   how many lines the channel keeps, at least 1
--       6 user   7 rate   lines a second; 0: any number   8 burst   lines at once, at least 1
-- Returns {seq, time, line} of the line, new or kept already; {ms}: the user has said so much here that
-- the next line may come then; nil if there is no log: the room does not exist, or was put away.
--
-- What is published names the room's last event: who hears of the line before that event knows
-- that he is behind, and may not know who sits where.

if #KEYS ~= 2 or #ARGV ~= 8 or ARGV[1] == '' or ARGV[2] == '' or ARGV[3] == '' or ARGV[4] == '' then
  error({err = 'ERR say: takes 2 keys and 8 arguments'})
end
if not string.find(ARGV[5], '^[1-9]%d*$') or #ARGV[5] > 9 then
  error({err = 'ERR say: how many to keep is no number above 0'})
end
local event = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not event then
  return false
end
local seq, at, spoke = 0, 0, {}
local USER, RATE, BURST = ' ' .. ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
for index, entry in ipairs(redis.call('XREVRANGE', KEYS[2], '+', '-')) do
  local number = tonumber(string.match(entry[1], '^(%d+)-0$'))
  if entry[2][4] == ARGV[3] then
    return {number, tonumber(entry[2][2]), entry[2][6]}
  end
  if index == 1 then
    seq, at = number, tonumber(entry[2][2])
  end
  if string.sub(entry[2][4], -#USER) == USER then
    table.insert(spoke, 1, tonumber(entry[2][2]))
  end
end
local now = redis.call('TIME')
at = math.max(now[1] * 1000 + math.floor(now[2] / 1000), at)
-- A token bucket over what is kept. The one of a node, over all rooms, is as tight: one token more
-- lets lines come a little closer together here than they did there.
local tokens, before = BURST + 1, spoke[1] or at
for _, time in ipairs(spoke) do
  tokens = math.min(BURST + 1, tokens + (time - before) * RATE / 1000) - 1
  before = time
end
tokens = math.min(BURST + 1, tokens + (at - before) * RATE / 1000)
if RATE > 0 and tokens < 1 then
  return {math.ceil((1 - tokens) * 1000 / RATE)}
end
seq = seq + 1
local number, digits = string.format('%.0f', seq), string.format('%.0f', at)
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[5], number .. '-0', 'at', digits, 'mark', ARGV[3],
  'line', ARGV[4])
redis.call('SPUBLISH', ARGV[1], 'line ' .. ARGV[2] .. ' ' .. string.match(event[1], '^%d+') .. ' '
  .. number .. ' ' .. digits .. ' ' .. ARGV[4])
return {seq, at, ARGV[4]}
