#!lua
-- Write down what an operator does, and do it: one step. Nothing is done that is not written down.
--
-- KEYS  1 acts (stream)  2 the table that the act changes (hash); only if it changes one
-- ARGV  1 act    JSON text
--       2 field  of the table  3 value  empty: the field is taken out   only with a table
-- Returns the number of the act; nil if there is nothing to be taken out: then nothing is written down.

if #ARGV ~= (KEYS[2] and 3 or 1) or ARGV[1] == '' then
  error({err = 'ERR act: takes 1 key and 1 argument, or 2 and 3'})
end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if KEYS[2] and redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 and ARGV[3] == '' then
  return false
end
local now = redis.call('TIME')
local at = math.max(now[1] * 1000 + math.floor(now[2] / 1000), last and tonumber(last[2][2]) or 0)
local seq = (last and tonumber(string.match(last[1], '^%d+')) or 0) + 1
redis.call('XADD', KEYS[1], string.format('%.0f-0', seq), 'at', string.format('%.0f', at),
  'act', ARGV[1])
if KEYS[2] and ARGV[3] == '' then
  redis.call('HDEL', KEYS[2], ARGV[2])
elseif KEYS[2] then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
end
return seq
