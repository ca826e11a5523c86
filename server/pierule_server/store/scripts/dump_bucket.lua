#!lua flags=no-writes
-- Read all keys of a bucket in one step, so a dump shows each room as it was at one moment. It does
-- not know what keys mean.
--
-- KEYS  1 any key of the bucket, which leads to the right server of a cluster
-- ARGV  1 the pattern of the bucket's keys
-- Returns {name, type, when it expires or -1, {values}} for each key; see `dumpfile.py`.

local read = {
  string = function(key) return {redis.call('GET', key)} end,
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
}

function read.stream(key)
  local values = {}
  local about = redis.call('XINFO', 'STREAM', key)
  for i = 1, #about, 2 do
    if about[i] == 'last-generated-id' then
      values[1] = about[i + 1]
    elseif about[i] == 'groups' and about[i + 1] > 0 then
      error({err = 'ERR ' .. key .. ' has consumer groups, which a dump does not keep'})
    end
  end
  for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
    table.insert(entry[2], 1, entry[1])
    values[#values + 1] = entry[2]
  end
  return values
end

local found, known, cursor = {}, {}, '0'
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 1000)
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    local kind = redis.call('TYPE', key).ok
    if not known[key] and kind ~= 'none' then
      if not read[kind] then
        error({err = 'ERR ' .. key .. ' is a ' .. kind .. ', which a dump does not know'})
      end
      known[key] = true
      found[#found + 1] = {key, kind, redis.call('PEXPIRETIME', key), read[kind](key)}
    end
  end
until cursor == '0'
return found
