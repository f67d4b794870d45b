delete from devices
where
  application_id = $1
  and device_id = $2
