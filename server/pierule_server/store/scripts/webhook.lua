#!lua
-- A user's webhook: set it, claim a call of it, or settle one. Changes no room.
--
-- KEYS  1 webhook (hash: url, nonce, key, failures, and by the names of calls how often each was
--         tried)
--       2 calls (sorted set: `USER NAME`, by when each is due)
-- ARGV  1 verb  set, claim, or settle
-- set:    2 url   3 nonce   4 key
-- claim:  2 user  3 name    4 wait  after the first try, in milliseconds; longer after each
--         5 tries  the most tries
-- settle: 2 user  3 name    4 how   made, moot, or failed   5 nonce  of the webhook
--         6 failures  remove the webhook after this many in a row
-- Returns of set 1; of claim {url, nonce, key, tries}, or nil if there is nothing to do (not yet, or
-- no longer); of settle 1 if the webhook was removed.

if ARGV[1] == 'set' then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'url', ARGV[2], 'nonce', ARGV[3], 'key', ARGV[4], 'failures', 0)
  return 1
end

local NAME = ARGV[3]
local CALL = ARGV[2] .. ' ' .. NAME

local function forget()
  redis.call('ZREM', KEYS[2], CALL)
  redis.call('HDEL', KEYS[1], NAME)
end

if ARGV[1] == 'claim' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local due = redis.call('ZSCORE', KEYS[2], CALL)
  if not due or tonumber(due) > now then
    return false
  end
  local known = redis.call('HMGET', KEYS[1], 'url', 'nonce', 'key')
  local tries = tonumber(redis.call('HGET', KEYS[1], NAME) or 0) + 1
  if not known[1] or tries > tonumber(ARGV[5]) then
    forget()
    return false
  end
  redis.call('HSET', KEYS[1], NAME, tries)
  local wait = tonumber(ARGV[4]) * 4 ^ (tries - 1)
  redis.call('ZADD', KEYS[2], string.format('%.0f', now + wait), CALL)
  return {known[1], known[2], known[3], tries}
end

forget()
if redis.call('HGET', KEYS[1], 'nonce') == ARGV[5] then
  if ARGV[4] == 'made' then
    redis.call('HSET', KEYS[1], 'failures', 0)
  elseif ARGV[4] == 'failed' then
    if redis.call('HINCRBY', KEYS[1], 'failures', 1) >= tonumber(ARGV[6]) then
      redis.call('DEL', KEYS[1])
      return 1
    end
  end
end
return 0
