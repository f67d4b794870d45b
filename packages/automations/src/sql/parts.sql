-- part: counted-day(day)
-- Days of long ago are counted as their month.
case
  when day < (now() at time zone 'UTC')::date - 400 then date_trunc('month', day)::date
  else day
end
