import { isDeviceChannel, type Channel, type DeliveryReason } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { wakeChunks } from './chunks.ts';

type ChannelOfApplication = { readonly applicationId: string; readonly channel: Channel };

/** Why a channel is paused, in the words of the provider that refused. */
export type ChannelPause = {
  readonly reason: DeliveryReason;
  readonly providerCode?: string;
  readonly providerMessage?: string;
};

/**
 * Notes that this version of the settings is wrong, and tells the campaigns at work. False when it was noted already,
 * or the settings are others by now. @callers channel-worker
 */
export async function pauseChannel(
  sql: Sql,
  input: ChannelOfApplication & ChannelPause & { readonly version: number },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_paused: boolean }>(
    `with paused as (
       insert into channel_pauses (application_id, channel, version, reason, provider_code, provider_message)
       select s.application_id, s.channel, s.version, $4, $5, $6 from channel_settings s
       where s.application_id = $1 and s.channel = $2 and s.version = $3
       on conflict (application_id, channel) do update
       set version = excluded.version, reason = excluded.reason, provider_code = excluded.provider_code,
           provider_message = excluded.provider_message, paused_at = now()
       where channel_pauses.version <> excluded.version
       returning application_id, channel),
     logged as (
       insert into campaign_events (campaign_id, type, reason, provider_code, detail)
       select c.id, 'channel.paused', $4, $5, $6 from campaigns c join paused p on p.application_id = c.application_id and p.channel = c.channel
       where c.status = 'sending' and c.source <> 'test')
     select true as is_paused from paused`,
    [
      input.applicationId,
      input.channel,
      input.version,
      input.reason,
      input.providerCode ?? null,
      input.providerMessage ?? null,
    ],
  );
  return rows.length > 0;
}

/** Deliveries that wait for what nobody but a policy decides: they are not to be hurried. */
const HELD_BY_POLICY = `('quiet_hours', 'frequency_capped', 'spend_cap')`;

/**
 * This version of the settings is new, or proved: what waited for it is due at once. A pause of a later version stays.
 * @callers api
 */
export async function resumeChannel(
  db: Database,
  { applicationId, channel, version }: ChannelOfApplication & { readonly version: number },
): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(
      `with resumed as (delete from channel_pauses where application_id = $1 and channel = $2 and version <= $3 returning application_id, channel)
       insert into campaign_events (campaign_id, type)
       select c.id, 'channel.resumed' from campaigns c join resumed r on r.application_id = c.application_id and r.channel = c.channel
       where c.status = 'sending' and c.source <> 'test'`,
      [applicationId, channel, version],
    );
    const { rows } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      `select k.campaign_id, k.chunk_no from campaigns c join campaign_chunks k on k.campaign_id = c.id
       where c.application_id = $1 and c.channel = $2 and c.status = 'sending' and k.due_at is not null`,
      [applicationId, channel],
    );
    const chunks = rows.map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no }));
    const values = [chunks.map((chunk) => chunk.campaignId), chunks.map((chunk) => chunk.chunkNo)];
    await sql.query(makeDue('deliveries', ['id']), values);
    if (isDeviceChannel(channel))
      await sql.query(makeDue('delivery_addresses', ['delivery_id', 'address_no']), values);
    await wakeChunks(sql, chunks);
  });
}

/** SQL that makes due what waited for other settings, of deliveries or of addresses. */
const makeDue = (table: 'deliveries' | 'delivery_addresses', key: readonly string[]): string =>
  `with waiting as (
     select ${key.map((column) => `d.${column}`).join(', ')} from unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
     join ${table} d on d.campaign_id = x.campaign_id and d.chunk_no = x.chunk_no
     where d.next_at > now()
       and ((d.state = 'retry_wait' and d.reason in ('provider_auth', 'provider_rejected'))
            or (d.state = 'pending' and coalesce(d.reason, '') not in ${HELD_BY_POLICY}))
     order by ${key.map((column) => `d.${column}`).join(', ')} for update of d)
   update ${table} d set next_at = now(), updated_at = now() from waiting w where ${key.map((column) => `d.${column} = w.${column}`).join(' and ')}`;

/** The pause of a channel, while there is one. */
export async function readChannelPause(
  sql: Sql,
  { applicationId, channel, version }: ChannelOfApplication & { readonly version: number },
): Promise<(ChannelPause & { readonly pausedAt: number }) | null> {
  const { rows } = await sql.query<PauseRow>(
    'select reason, provider_code, provider_message, paused_at from channel_pauses where application_id = $1 and channel = $2 and version = $3',
    [applicationId, channel, version],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    reason: row.reason,
    ...(row.provider_code !== null && { providerCode: row.provider_code }),
    ...(row.provider_message !== null && { providerMessage: row.provider_message }),
    pausedAt: row.paused_at.getTime(),
  };
}

type PauseRow = {
  readonly reason: DeliveryReason;
  readonly provider_code: string | null;
  readonly provider_message: string | null;
  readonly paused_at: Date;
};
