#!lua
-- Compare, number, keep, trim and publish a line of a room's chat, in one step. Changes no room.
--
-- KEYS  1 log (stream), as in append.lua  2 lines of the channel (stream), both in the room's bucket
-- ARGV  1 where to publish  2 channel (players, spectators)
--       3 mark   names the user and the nonce: a line with the same mark is not said again
--       4 line   JSON text   5 kept   how many lines the channel keeps, at least 1
--       6 user   7 rate   lines of one user per second; 0: any number   8 burst   at least 1
--       9 rate   10 burst   of all users together
--       11 seen   how many of the latest lines to look at, for the mark and the rates
--       12 known   the number of the last line that the caller knows; a fail-over may have lost it,
--                  and whoever has heard it ignores a new line with its number
-- Returns {seq, time, line} of the line, whether it is new or not; {ms} if the user, or all together,
-- have said too much: the next line may come then; nil if there is no log: the room does not exist,
-- or is put away.
--
-- The published text names the room's last event. A node that hears of the message before that event
-- knows that it is behind, and that it may not know who sits where.

if #KEYS ~= 2 or #ARGV ~= 12 or ARGV[1] == '' or ARGV[2] == '' or ARGV[3] == '' or ARGV[4] == '' then
  error({err = 'ERR say: takes 2 keys and 12 arguments'})
end
if not string.find(ARGV[5], '^[1-9]%d*$') or #ARGV[5] > 9 then
  error({err = 'ERR say: how many to keep is no number above 0'})
end
if not string.find(ARGV[12], '^%d+$') then
  error({err = 'ERR say: the last known line is no number'})
end
local event = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not event then
  return false
end
local seq, at, spoke, all = 0, 0, {}, {}
local USER = ' ' .. ARGV[6]
for index, entry in ipairs(redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', ARGV[11])) do
  local number = tonumber(string.match(entry[1], '^(%d+)-0$'))
  if entry[2][4] == ARGV[3] then
    return {number, tonumber(entry[2][2]), entry[2][6]}
  end
  if index == 1 then
    seq, at = number, tonumber(entry[2][2])
  end
  all[#all + 1] = tonumber(entry[2][2])
  if string.sub(entry[2][4], -#USER) == USER then
    spoke[#spoke + 1] = all[#all]
  end
end
local now = redis.call('TIME')
at = math.max(now[1] * 1000 + math.floor(now[2] / 1000), at)
-- Milliseconds until another line may come after those at these times, the latest first. It is a
-- token bucket over the kept lines. It holds one token more, because a node's own bucket, over all
-- rooms, is as tight, and lines may arrive here a little closer together than they did there.
local function wait(times, rate, burst)
  local tokens, before = burst + 1, times[#times] or at
  for i = #times, 1, -1 do
    tokens = math.min(burst + 1, tokens + (times[i] - before) * rate / 1000) - 1
    before = times[i]
  end
  tokens = math.min(burst + 1, tokens + (at - before) * rate / 1000)
  return (rate > 0 and tokens < 1) and math.ceil((1 - tokens) * 1000 / rate) or 0
end
local late = math.max(wait(spoke, tonumber(ARGV[7]), tonumber(ARGV[8])),
  wait(all, tonumber(ARGV[9]), tonumber(ARGV[10])))
if late > 0 then
  return {late}
end
seq = math.max(seq, tonumber(ARGV[12])) + 1
local number, digits = string.format('%.0f', seq), string.format('%.0f', at)
redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[5], number .. '-0', 'at', digits, 'mark', ARGV[3],
  'line', ARGV[4])
redis.call('SPUBLISH', ARGV[1], 'line ' .. ARGV[2] .. ' ' .. string.match(event[1], '^%d+') .. ' '
  .. number .. ' ' .. digits .. ' ' .. ARGV[4])
return {seq, at, ARGV[4]}
