#!lua
-- Put a note into a user's inbox, extend its life, or read all notes. A note has a name of a kind
-- (`KIND:...`) and a time when it expires. Nodes that serve the user hear of it. Changes no room.
--
-- KEYS  1 inbox (hash: name -> `UNTIL TEXT`)
--       2 webhook  3 calls   as in webhook.lua; to put only
-- ARGV  1 verb     put, extend (its life, from now on) or read
--       2 channel  where to publish `note USER NAME TEXT`; empty: nowhere   3 user
--       4 name  5 text  6 life   in milliseconds   7 most   notes of this kind; 0: any number
--       8 instead  the name of a note that this one replaces; empty: none
--       9 needed   1: put it only if that note is there
--       10 call    if the user has a webhook, call it this many milliseconds later; 0: do not
--       11 shares  JSON: [[piece, most], ...]: at most this many notes of this kind contain the piece
--       12... unless  the names of notes that bar this one
-- Returns of put {'put'}, {'there', TEXT} (a note has this name already), {'full'}, {'full', N} (of
-- the share with this number, from 0 on), {'missing'} or {'barred'};
-- of extend 1, or 0 if there is no such note; of read {name, text, ...}.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local notes = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local ends, text = string.match(all[i + 1], '^(%d+) (.*)$')
  if tonumber(ends) < now then
    redis.call('HDEL', KEYS[1], all[i])
  else
    notes[#notes + 1] = all[i]
    notes[#notes + 1] = text
  end
end
if ARGV[1] == 'read' then
  return notes
end

local CHANNEL, USER, NAME, TEXT, INSTEAD = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[8]
local LIFE, MOST = tonumber(ARGV[6]), tonumber(ARGV[7])

local function keep(text)
  redis.call('HSET', KEYS[1], NAME, string.format('%.0f', now + LIFE) .. ' ' .. text)
  if redis.call('PTTL', KEYS[1]) < LIFE then
    redis.call('PEXPIRE', KEYS[1], LIFE)
  end
end

if ARGV[1] == 'extend' then
  for i = 1, #notes, 2 do
    if notes[i] == NAME then
      keep(notes[i + 1])
      return 1
    end
  end
  return 0
end
local KIND = string.match(NAME, '^[^:]*:')
local count, found = 0, INSTEAD == '' or ARGV[9] ~= '1'
local bars, shares = {}, cjson.decode(ARGV[11])
for i = 12, #ARGV do
  bars[ARGV[i]] = true
end
for i = 1, #notes, 2 do
  if bars[notes[i]] then
    return {'barred'}
  end
end
for i = 1, #notes, 2 do
  if notes[i] == NAME then
    return {'there', notes[i + 1]}
  end
  if string.sub(notes[i], 1, #KIND) == KIND then
    count = count + 1
    for _, share in ipairs(shares) do
      if string.find(notes[i + 1], share[1], 1, true) then
        share[2] = share[2] - 1
      end
    end
  end
  found = found or notes[i] == INSTEAD
end
if not found then
  return {'missing'}
end
if MOST > 0 and count >= MOST then
  return {'full'}
end
for i, share in ipairs(shares) do
  if share[2] <= 0 and string.find(TEXT, share[1], 1, true) then
    return {'full', i - 1}
  end
end
if INSTEAD ~= '' then
  redis.call('HDEL', KEYS[1], INSTEAD)
end
keep(TEXT)
if ARGV[10] ~= '0' and redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('ZADD', KEYS[3], string.format('%.0f', now + tonumber(ARGV[10])), USER .. ' ' .. NAME)
end
if CHANNEL ~= '' then
  redis.call('SPUBLISH', CHANNEL, 'note ' .. USER .. ' ' .. NAME .. ' ' .. TEXT)
end
return {'put'}
