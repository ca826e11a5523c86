#!lua
-- Put a seek into a pool, find it a partner, hold it in abeyance or take it out: one step, so
-- that nobody is paired twice. What is decided here is recorded here, until it was carried out.
--
-- KEYS  1 seeks (hash: `USER NONCE` -> `AT LEASE POOL SEEKER`)
--       2 paired (hash: `USER NONCE` -> `AT PAIRING`; without the latter, it was withdrawn)
--       3 pairings (sorted set of those that nobody has carried out yet, by when they were made)
--       4 avoids (hash: `USER NONCE` -> ` USER USER ... `, with whom it is not to be paired)
--       all in the pool's bucket
-- ARGV  1 verb      seek: wait, or go on waiting, and take whoever waits; renew: the same, if it
--                   is there; away: do not pair it until then; withdraw: take it out, and do not
--                   let it in if it comes behind this; prune: the same, if it is there and its lease
--                   is over; take: do not wait, take whoever has waited long enough for a bot
--       2 user  3 nonce  4 pool  5 seeker   pool and seeker are JSON without spaces outside of
--                                           strings, and only the seeker's has such; one that
--                                           "stands" is found by nobody and finds by take alone
--       6 lease     for how long it may be paired from now on   7 life   and wait altogether; ms
--       8 most      seeks that wait in a bucket
--       9 token     names the pairing, if it comes to one
--       10 avoids   as in the hash; empty: nobody
-- Returns {'waiting'}, {'paired', PAIRING}, {'expired'}, {'full'} or {'gone'} (there is none, or it
-- was withdrawn).

local VERB, USER, POOL, SEEKER = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local FIELD = USER .. ' ' .. ARGV[3]
local AVOIDS = ARGV[10]
local TAKES, STANDS = VERB == 'take', string.find(SEEKER, '"stands":true', 1, true)
-- Who wants a bot of some level is found by take alone, too.
local ALONE = STANDS or string.find(POOL, '"bot_level":"', 1, true)
local LEASE, LIFE, MOST = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function digits(value)
  return string.format('%.0f', value)
end

local function forget(...)
  redis.call('HDEL', KEYS[1], ...)
  redis.call('HDEL', KEYS[4], ...)
end

-- Whether a seeker who has waited since then may be paired with this one as far as bots go. In JSON
-- the quotes within a name are escaped, so a name cannot look like a field.
local function welcomes(who, at)
  local after = tonumber(string.match(who, '"bot_after":(%d+)'))
  return not TAKES or (after and now - at >= after * 1000)
end

-- Whether the game of a seeker and this one would be as both wish. Who says "yes" only plays games
-- that count, and those are between people with names of their own.
local function counts(who)
  return string.find(who, '"registered":true', 1, true) and string.find(who, '"bot":false', 1, true)
end

local function agree(who)
  local wish = string.match(SEEKER, '"rated":"(%a+)"')
  local theirs = string.match(who, '"rated":"(%a+)"')
  if wish ~= 'yes' and theirs ~= 'yes' then
    return true
  end
  return wish ~= 'no' and theirs ~= 'no' and counts(who) and counts(SEEKER)
end

-- Whether the seeker of a field and this one are not to be paired, whoever of them says so.
local function apart(field)
  local theirs = redis.call('HGET', KEYS[4], field)
  return string.find(AVOIDS, ' ' .. string.match(field, '^%S+') .. ' ', 1, true)
    or (theirs and string.find(theirs, ' ' .. USER .. ' ', 1, true))
end

redis.call('ZCARD', KEYS[3])
local done = redis.call('HGET', KEYS[2], FIELD)
if done then
  local pairing = string.match(done, '^%d+ (.+)$')
  return pairing and {'paired', pairing} or {'gone'}
end
local mine = redis.call('HGET', KEYS[1], FIELD)
local since = mine and tonumber(string.match(mine, '^%d+')) or now
if VERB == 'prune' then
  -- One that is not there may be on its way, from another node.
  if not mine or tonumber(string.match(mine, '^%d+ (%d+)')) >= now then
    return {'waiting'}
  end
  VERB = 'withdraw'
end
if VERB == 'withdraw' or now - since > LIFE then
  forget(FIELD)
  if VERB == 'withdraw' then
    redis.call('HSET', KEYS[2], FIELD, digits(now) .. ' ')
  end
  return {(mine and VERB ~= 'withdraw') and 'expired' or 'gone'}
end
if VERB == 'away' then
  if mine then
    local ended = '%1 ' .. digits(now - 1)
    redis.call('HSET', KEYS[1], FIELD, (string.gsub(mine, '^(%d+) %d+', ended)))
  end
  return {mine and 'waiting' or 'gone'}
end
if not mine and VERB == 'renew' then
  return {'gone'}
end
if not mine and not TAKES and redis.call('HLEN', KEYS[1]) >= MOST then
  return {'full'}
end

-- Whether the two have played lately, as either of them says.
local function met(field, who)
  local user = string.match(field, '^%S+')
  local function says(text, other)
    local list = string.match(text, '"met":(%b[])')
    return list and string.find(list, '"' .. other .. '"', 1, true)
  end
  return says(SEEKER, user) or says(who, USER)
end

-- The user who has waited the longest, of those whose lease holds; never the same user, nor an avoided one. Who played
-- this one lately comes behind all others.
local field, waited, seeker, again
local all = (ALONE and not TAKES) and {} or redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at, lease, pool, who = string.match(all[i + 1], '^(%d+) (%d+) (%S+) (.*)$')
  at = tonumber(at)
  if pool == POOL and tonumber(lease) >= now and now - at <= LIFE
    and string.match(all[i], '^%S+') ~= USER
    and welcomes(who, at) and agree(who) and not apart(all[i]) then
    local once = met(all[i], who) and 1 or 0
    if not field or once < again or (once == again
      and (at < waited or (at == waited and all[i] < field))) then
      field, waited, seeker, again = all[i], at, who, once
    end
  end
end
if not field and TAKES then
  return {'gone'}
end
if not field then
  redis.call('HSET', KEYS[1], FIELD, digits(since) .. ' ' .. digits(now + LEASE) .. ' ' .. POOL
    .. ' ' .. SEEKER)
  if AVOIDS == '' then
    redis.call('HDEL', KEYS[4], FIELD)
  else
    redis.call('HSET', KEYS[4], FIELD, AVOIDS)
  end
  return {'waiting'}
end
local pairing = '{"token":"' .. ARGV[9] .. '","pool":' .. POOL .. ',"first":' .. seeker
  .. ',"second":' .. SEEKER .. '}'
forget(field, FIELD)
redis.call('HSET', KEYS[2], field, digits(now) .. ' ' .. pairing, FIELD, digits(now) .. ' ' .. pairing)
redis.call('ZADD', KEYS[3], digits(now), pairing)
return {'paired', pairing}
