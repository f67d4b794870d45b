/**
 * SQL that says whether nothing of the campaign `c` is to be claimed, because the settings of its channel were found
 * wrong and are the same still. A test send goes all the same: it is how to find out whether they were mended.
 */
export const CHANNEL_PAUSED = `(c.source <> 'test' and exists (
  select from channel_pauses p join channel_settings s on s.application_id = p.application_id and s.channel = p.channel and s.version = p.version
  where p.application_id = c.application_id and p.channel = c.channel))`;
