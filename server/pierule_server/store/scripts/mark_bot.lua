#!lua
-- Note in the account of a user that the user is a bot. Changes no room.
--
-- KEYS  1 account (string: JSON)
-- Returns 1; nil if nobody has this account, or if it was deleted.

local kept = redis.call('GET', KEYS[1])
local account = kept and cjson.decode(kept)
if not account or account.name == '' then
  return false
end
account.bot = true
redis.call('SET', KEYS[1], cjson.encode(account), 'KEEPTTL')
return 1
