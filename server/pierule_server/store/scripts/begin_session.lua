#!lua
-- Let only the tokens of one session of a user be valid, from now on. Changes no room.
--
-- KEYS  1 account (string: JSON)
-- ARGV  1 session   2 instead: the session whose tokens must be valid now, unless those of `session`
--                     are already
-- Returns 1; nil if the tokens of another session are valid, if nobody has this account, or if it
-- was deleted.

local kept = redis.call('GET', KEYS[1])
local account = kept and cjson.decode(kept)
if not account or account.name == '' then
  return false
end
local session = account.session or ''
if session == ARGV[1] then
  return 1
end
if session ~= ARGV[2] then
  return false
end
account.session = ARGV[1]
redis.call('SET', KEYS[1], cjson.encode(account), 'KEEPTTL')
return 1
