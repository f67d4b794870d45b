-- Takes tokens out of the bucket of one application for one gateway.
--
-- KEYS[1]  the bucket, a hash: `tokens`, `at` (when they were counted, in microseconds), and `held:<holder>` for each
--          gateway: "<tokens it may not have spent yet>:<until when, in microseconds>"
-- ARGV[1]  tokens that come back per second, above 0
-- ARGV[2]  tokens that the bucket holds when it is full
-- ARGV[3]  tokens wanted
-- ARGV[4]  the holder: the gateway that asks
-- ARGV[5]  tokens of the wanted that requests wait for, and spend at once
-- ARGV[6]  tokens that the holder has from before
-- ARGV[7]  tokens that the holder spent without asking, while Redis was away
-- ARGV[8]  milliseconds after which the holder gives up what it has not spent
--
-- Returns tokens granted, whole tokens left, microseconds until the next token is there.
--
-- The time is that of Redis, the same for all gateways. What a gateway may hold counts as if it lay in the bucket still,
-- so that in no span of time more is spent than the bucket holds and what comes back. A bucket that would be full again
-- is gone.
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local holder = 'held:' .. ARGV[4]
local waiting, unspent, debt, lease_ms = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local tokens, at = burst, now
-- What is held still, what was held until a moment ago, and when the last of that was given up.
local held, gone, gone_at = 0, 0, 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'tokens' then
    tokens = tonumber(value)
  elseif name == 'at' then
    -- A clock that was set back gives nothing.
    at = math.min(now, tonumber(value))
  else
    local amount, till = string.match(value, '^(%d+):(%d+)$')
    if tonumber(till) > now then
      held = held + tonumber(amount)
    else
      gone = gone + tonumber(amount)
      gone_at = math.max(gone_at, tonumber(till))
      redis.call('HDEL', KEYS[1], name)
    end
  end
end

if gone_at > at then
  tokens = math.min(tokens + (gone_at - at) * rate / 1000000, burst - held - gone)
  at = gone_at
end
tokens = math.min(tokens + (now - at) * rate / 1000000, burst - math.max(held, unspent))
tokens = math.max(0, tokens - debt)
local granted = math.min(wanted, math.floor(tokens))
tokens = tokens - granted

local kept = unspent + math.max(0, granted - waiting)
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
if kept > 0 then
  redis.call('HSET', KEYS[1], holder, string.format('%.0f:%.0f', kept, now + lease_ms * 1000))
else
  redis.call('HDEL', KEYS[1], holder)
end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min(burst / rate * 1000, 1e15) + lease_ms + 1))

local next_in = 0
if tokens < 1 then next_in = math.ceil((1 - tokens) / rate * 1000000) end
return { granted, math.floor(tokens), next_in }
