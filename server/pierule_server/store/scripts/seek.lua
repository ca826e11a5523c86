#!lua
-- Put a seek into a pool, find an opponent for it, suspend it or take it out: one step, so nobody
-- is paired twice. The script also records its decision, until a node has carried it out.
--
-- KEYS  1 seeks (hash: `USER NONCE` -> `AT LEASE POOL SEEKER`)
--       2 paired (hash: `USER NONCE` -> `AT PAIRING`; without the latter, it was withdrawn)
--       3 pairings (sorted set of those that no node has carried out yet, by when they were made)
--       4 avoids (hash: `USER NONCE` -> ` USER USER ... `, with whom it must not be paired)
--       5 traffic (hash: `POOL` -> `AT COUNT`: how many came in about a minute before AT; each
--         weighs less with time)
--       all in the pool's bucket
-- ARGV  1 verb      as in pools.py. seek: wait, or go on waiting, and take an opponent who waits;
--                   renew: the same, if the seek is there; away: do not pair it until the next seek
--                   or renew; withdraw: take it out, and keep it out if it comes late; prune: the
--                   same, if it is there and its lease is over; take: do not wait, but take an
--                   opponent who has waited long enough for a bot
--       2 user  3 nonce  4 pool  5 seeker   pool and seeker are JSON without spaces between
--                                           tokens; only the seeker's strings may contain spaces. A
--                                           seeker who "stands" is found by nobody, and finds
--                                           somebody only by take
--       6 lease     how long it may be paired from now on   7 life   how long it may wait; in ms
--       8 most      waiting seeks of a bucket, and pools whose traffic is counted
--       9 token     names the pairing, if there is one
--       10 avoids   as in the hash; empty: nobody
--       11 few  12 spread  13 slope  14 patience  15 unrated   see `reach`
-- Returns {'waiting'}, {'paired', PAIRING}, {'expired'}, {'full'} or {'gone'} (it is not there, or
-- was withdrawn).

local VERB, USER, POOL, SEEKER = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local FIELD = USER .. ' ' .. ARGV[3]
local AVOIDS = ARGV[10]
local TAKES, STANDS = VERB == 'take', string.find(SEEKER, '"stands":true', 1, true)
-- A user who wants a bot of a level is also found only by take.
local ALONE = STANDS or string.find(POOL, '"bot_level":"', 1, true)
local LEASE, LIFE, MOST = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local FEW, SPREAD, SLOPE, PATIENCE, UNRATED = tonumber(ARGV[11]), tonumber(ARGV[12]),
  tonumber(ARGV[13]), tonumber(ARGV[14]), tonumber(ARGV[15])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function digits(value)
  return string.format('%.0f', value)
end

local function forget(...)
  redis.call('HDEL', KEYS[1], ...)
  redis.call('HDEL', KEYS[4], ...)
end

-- A field of a seeker, by a pattern. JSON escapes quotes within a name, so a name cannot look like a
-- field. Plain text is found much faster than a pattern.
local function field(who, name, pattern)
  local _, at = string.find(who, name, 1, true)
  return at and string.match(who, pattern, at + 1)
end

-- Whether a seeker who has waited since `at` accepts a bot by now, if a bot asks.
local function welcomes(who, at)
  local after = TAKES and tonumber(field(who, '"bot_after":', '^%d+'))
  return not TAKES or (after and now - at >= after * 1000)
end

-- A seeker, with the fields that decide most cases. A user without a rating counts as a new player,
-- but is in nobody's range.
local function read(user, name, at, who)
  local rating = tonumber(field(who, '"rating":', '^%-?%d+'))
  return {user = user, field = name, at = at, who = who, rated = rating, rating = rating or UNRATED}
end

-- The other fields. There may be a thousand seekers, and most of them never need these.
local function complete(one)
  if not one.wish then
    one.wish = field(one.who, '"rated":"', '^%a+')
    one.last = field(one.who, '"last":"', '^[^"]+')
    one.ranged = string.find(one.who, '"range":{', 1, true)
    one.below = one.ranged and tonumber(field(one.who, '"below":', '^%d+')) or math.huge
    one.above = one.ranged and tonumber(field(one.who, '"above":', '^%d+')) or math.huge
  end
  return one
end

-- Whether a game of two would be as both wish. Only users with "yes" insist on a game that counts,
-- and such games are between people with names of their own.
local function counts(who)
  return string.find(who, '"registered":true', 1, true) and string.find(who, '"bot":false', 1, true)
end

local function agree(one, other)
  if one.wish ~= 'yes' and other.wish ~= 'yes' then
    return true
  end
  return one.wish ~= 'no' and other.wish ~= 'no' and counts(one.who) and counts(other.who)
end

-- Whether the other's rating is in a seeker's range. A range does not keep house bots out.
local function wants(one, other)
  if not one.ranged or TAKES then
    return true
  end
  local more = other.rating - one.rating
  return one.rated and other.rated and more <= one.above and -more <= one.below
end

local function avoids(one, other)
  one.avoids = one.avoids or redis.call('HGET', KEYS[4], one.field) or ''
  return string.find(one.avoids, ' ' .. other.user .. ' ', 1, true)
end

-- Whether two may be paired at all. The first one must be complete.
local function fit(one, other)
  return one.user ~= other.user and wants(one, other) and agree(one, complete(other))
    and wants(other, one) and not avoids(one, other) and not avoids(other, one)
end

-- Whether either of two had the other as their last opponent.
local function again(one, other)
  return one.last == other.user or other.last == one.user
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
  -- A seek that is not there may be on its way from another node.
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
-- If the rating cannot be read now, an accepted seek with a range keeps the rating that it began
-- with.
if mine and string.find(SEEKER, '"range":{', 1, true)
  and not string.find(SEEKER, '"standing":{', 1, true) then
  SEEKER = string.match(mine, '^%d+ %d+ %S+ (.*)$')
end

-- How many came into the pool in about the last minute, including this one.
local function traffic()
  local at, before = string.match(redis.call('HGET', KEYS[5], POOL) or '', '^(%d+) (.+)$')
  local count = at and tonumber(before) * math.exp(math.min(0, at - now) / 60000) or 0
  return (mine or TAKES) and count or count + 1
end

-- By how many points two may differ if the longer of them has waited since `at`. In a pool into which
-- few come, nobody waits for a closer opponent, and nobody ever waits long for one.
local came = traffic()
local function reach(at)
  if TAKES or came < FEW or now - at >= PATIENCE then
    return math.huge
  end
  return SPREAD / came + SLOPE * (now - at) / 1000
end

local me = complete(read(USER, FIELD, since, SEEKER))
me.avoids = AVOIDS

local function near(one)
  return math.abs(one.rating - me.rating) <= reach(math.min(one.at, since))
end

-- Whether `one` is a better opponent than `other`: closer in strength, or equally close and waiting
-- for longer.
local function better(one, other)
  if not other then
    return true
  end
  local gap, its = math.abs(one.rating - me.rating), math.abs(other.rating - me.rating)
  if TAKES or gap == its then
    gap, its = one.at, other.at
  end
  return gap < its or (gap == its and one.field < other.field)
end

-- Find the best of those who are near enough, and apart from that the best last opponent.
local here, best, known = {}, nil, nil
local all = (ALONE and not TAKES) and {} or redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local at, lease, pool, rest = string.match(all[i + 1], '^(%d+) (%d+) (%S+) ()')
  at = tonumber(at)
  local who = pool == POOL and string.sub(all[i + 1], rest)
  if who and tonumber(lease) >= now and now - at <= LIFE and welcomes(who, at) then
    local one = read(string.match(all[i], '^%S+'), all[i], at, who)
    here[#here + 1] = one
    if near(one) and (better(one, best) or better(one, known)) and fit(me, one) then
      if not again(me, one) then
        best = better(one, best) and one or best
      else
        known = better(one, known) and one or known
      end
    end
  end
end

-- Whether a seeker has no possible opponent here, now or after a longer wait, but their last one.
local function lonely(one)
  for _, other in ipairs(here) do
    if fit(one, other) and not again(one, other) then
      return false
    end
  end
  return true
end

if not best and known and lonely(me) and lonely(known) then
  best = known
end
if not best and TAKES then
  return {'gone'}
end
if not mine and not TAKES
  and (redis.call('HLEN', KEYS[5]) < MOST or redis.call('HEXISTS', KEYS[5], POOL) == 1) then
  redis.call('HSET', KEYS[5], POOL, digits(now) .. ' ' .. string.format('%.3f', came))
end
if not best then
  redis.call('HSET', KEYS[1], FIELD, digits(since) .. ' ' .. digits(now + LEASE) .. ' ' .. POOL
    .. ' ' .. SEEKER)
  if AVOIDS == '' then
    redis.call('HDEL', KEYS[4], FIELD)
  else
    redis.call('HSET', KEYS[4], FIELD, AVOIDS)
  end
  return {'waiting'}
end
local pairing = '{"token":"' .. ARGV[9] .. '","pool":' .. POOL .. ',"first":' .. best.who
  .. ',"second":' .. SEEKER .. '}'
local told = digits(now) .. ' ' .. pairing
forget(best.field, FIELD)
redis.call('HSET', KEYS[2], best.field, told, FIELD, told)
redis.call('ZADD', KEYS[3], digits(now), pairing)
return {'paired', pairing}
