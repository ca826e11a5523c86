#!lua
-- Record an operator's act, and do it: one step. Nothing is done without a record.
--
-- KEYS  1 acts (stream)  2 the table that the act changes (hash); only if it changes one
-- ARGV  1 act    JSON text
--       2 kept   keep at least this many acts; beyond that the oldest go
--       3 field  of the table  4 value  empty: remove the field   only with a table
--       5 most   fields that the table may have; 0: any number. If it would have more, expired
--                fields go first: their value has an `"until":MS` that is over
-- Returns the number of the act; nil if there is nothing to remove, or no more room: then nothing
-- is recorded.

if #ARGV ~= (KEYS[2] and 5 or 2) or ARGV[1] == '' then
  error({err = 'ERR act: takes 1 key and 2 arguments, or 2 and 5'})
end
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local new = KEYS[2] and redis.call('HEXISTS', KEYS[2], ARGV[3]) == 0
if new and ARGV[4] == '' then
  return false
end
local now = redis.call('TIME')
local at = math.max(now[1] * 1000 + math.floor(now[2] / 1000), last and tonumber(last[2][2]) or 0)
local most = KEYS[2] and tonumber(ARGV[5]) or 0
if new and most > 0 and redis.call('HLEN', KEYS[2]) >= most then
  local all = redis.call('HGETALL', KEYS[2])
  for i = 1, #all, 2 do
    local ends = string.match(all[i + 1], '^{"until":(%d+)')
    if ends and tonumber(ends) <= at then
      redis.call('HDEL', KEYS[2], all[i])
    end
  end
  if redis.call('HLEN', KEYS[2]) >= most then
    return false
  end
end
local seq = (last and tonumber(string.match(last[1], '^%d+')) or 0) + 1
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], string.format('%.0f-0', seq), 'at', string.format('%.0f', at),
  'act', ARGV[1])
if KEYS[2] and ARGV[4] == '' then
  redis.call('HDEL', KEYS[2], ARGV[3])
elseif KEYS[2] then
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
end
return seq
