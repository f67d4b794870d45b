-- Leases tokens from the bucket of one application to one process.
--
-- KEYS[1]  the bucket, a hash: `tokens`, `at` (time of the count, in microseconds), and a field
-- `held:<holder>` for each process: "<tokens possibly unspent>:<expiry, in microseconds>"
-- ARGV[1]  refill in tokens per second, above 0
-- ARGV[2]  maximum tokens of the bucket
-- ARGV[3]  tokens requested
-- ARGV[4]  the holder: the requesting process
-- ARGV[5]  requested tokens that waiting requests spend at once
-- ARGV[6]  tokens that the holder has left from before
-- ARGV[7]  tokens that the holder spent without Redis while it was unavailable
-- ARGV[8]  milliseconds after which the holder drops unspent tokens
--
-- Returns tokens granted, whole tokens left, microseconds until the next token.
--
-- The time is the clock of Redis, the same for all processes. Tokens held by a process count as if
-- they were still in the bucket. So in any period, at most the bucket size plus the refill is
-- spent. A bucket that would be full again is deleted.
local rate, burst, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local holder = 'held:' .. ARGV[4]
local waiting, unspent, debt, lease_ms = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local tokens, at = burst, now
-- Tokens still held, tokens held until a moment ago, and the latest expiry of those.
local held, gone, gone_at = 0, 0, 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'tokens' then
    tokens = tonumber(value)
  elseif name == 'at' then
    -- A clock that was set back refills nothing.
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
