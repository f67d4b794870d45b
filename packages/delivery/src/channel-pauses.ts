import type { Channel } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { wakeChunks } from './chunks.ts';

const statement = statementsIn(import.meta.dirname);

type ChannelOfApplication = { readonly applicationId: string; readonly channel: Channel };

/** Why a channel is paused, with the provider's response. */
export type ChannelPause = {
  readonly reason: DeliveryReason;
  readonly providerCode?: string;
  readonly providerMessage?: string;
};

/**
 * Pauses a channel because this version of its settings is wrong, and logs that in its active
 * campaigns. Returns false if it is already paused or the settings have changed.
 * @callers channel-worker
 */
export async function pauseChannel(
  sql: Sql,
  input: ChannelOfApplication & ChannelPause & { readonly version: number },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_paused: boolean }>(statement('pause-channel'), [
    input.applicationId,
    input.channel,
    input.version,
    input.reason,
    input.providerCode ?? null,
    input.providerMessage ?? null,
  ]);
  return rows.length > 0;
}

/**
 * Resumes a channel whose settings changed or passed a test send: waiting chunks become due at
 * once. A pause of a later version stays.
 * @callers api
 */
export async function resumeChannel(
  db: Database,
  { applicationId, channel, version }: ChannelOfApplication & { readonly version: number },
): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query(statement('resume-channel'), [applicationId, channel, version]);
    const { rows } = await sql.query<{ campaign_id: string; chunk_no: number }>(
      statement('read-chunks-of-channel'),
      [applicationId, channel],
    );
    const chunks = rows.map((row) => ({ campaignId: row.campaign_id, chunkNo: row.chunk_no }));
    const values = [chunks.map((chunk) => chunk.campaignId), chunks.map((chunk) => chunk.chunkNo)];
    await sql.query(statement('make-deliveries-due'), values);
    if (isDeviceChannel(channel)) await sql.query(statement('make-addresses-due'), values);
    await wakeChunks(sql, chunks);
  });
}

/** The current pause of a channel, or null. */
export async function readChannelPause(
  sql: Sql,
  { applicationId, channel, version }: ChannelOfApplication & { readonly version: number },
): Promise<(ChannelPause & { readonly pausedAt: number }) | null> {
  const { rows } = await sql.query<PauseRow>(statement('read-channel-pause'), [
    applicationId,
    channel,
    version,
  ]);
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
