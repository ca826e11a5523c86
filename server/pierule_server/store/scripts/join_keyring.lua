#!lua
-- Keep a node's entry: the key with which it signs tokens, the keys that it accepts, its games, and
-- whether it has an archive.
-- A node cannot join if it and a living node would refuse each other's tokens. No secret comes
-- here: a proof is an HMAC, with the secret, of a value that this store keeps.
--
-- KEYS  1 nodes (hash: node -> JSON {signs: key id, proofs: {key id: proof}, games: {game: [rules]},
--         archives: boolean, ends: ms})
-- ARGV  1 verb   join; renew (whatever others accept); leave
--       2 node   3 JSON, as in the hash, without `ends`   4 life   of the entry, in ms
-- Returns of join nothing, or {node, key id, ends, fault} of a living node whose keys do not fit;
-- the fault is `theirs` if that node does not accept our key, `ours` if we do not accept its key,
-- `secret` if both have a key with this id, with different secrets.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[1] == 'leave' then
  redis.call('HDEL', KEYS[1], ARGV[2])
  return false
end
local mine = cjson.decode(ARGV[3])
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local theirs = cjson.decode(all[i + 1])
  if theirs.ends < now then
    redis.call('HDEL', KEYS[1], all[i])
  elseif ARGV[1] == 'join' and all[i] ~= ARGV[2] then
    local ends = string.format('%.0f', theirs.ends)
    if theirs.proofs[mine.signs] ~= mine.proofs[mine.signs] then
      return {all[i], mine.signs, ends, theirs.proofs[mine.signs] and 'secret' or 'theirs'}
    end
    if mine.proofs[theirs.signs] ~= theirs.proofs[theirs.signs] then
      return {all[i], theirs.signs, ends, mine.proofs[theirs.signs] and 'secret' or 'ours'}
    end
  end
end
mine.ends = now + tonumber(ARGV[4])
redis.call('HSET', KEYS[1], ARGV[2], cjson.encode(mine))
return false
