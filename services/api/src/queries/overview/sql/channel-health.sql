-- name: list-configured-channels
select channel, status, version, tested_at from channel_settings where application_id = $1
