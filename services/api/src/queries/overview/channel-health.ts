import type { ChannelStatus } from '@tidings/accounts/channel-settings';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import type { ChannelPause } from '@tidings/delivery/channel-pauses';
import { readOpenBreakers, type OpenBreakers } from '@tidings/channel-breakers/open-breakers';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type ChannelHealth = {
  readonly channel: Channel;
  readonly status: ChannelStatus;
  readonly testedAt: number | null;
  readonly pause?: ChannelPause & { readonly pausedAt: number };
  readonly breaker?: OpenBreakers;
};

/** Reads for each channel whether it is configured and tested, and what prevents sending. */
export async function readChannelHealth(
  { sql }: Pick<Database, 'sql'>,
  applicationId: string,
): Promise<ChannelHealth[]> {
  const { rows } = await sql.query<{
    channel: Channel;
    is_ready: boolean;
    version: number;
    has_several: boolean;
    tested_at: Date | null;
  }>(statement('list-configured-channels'), [applicationId]);
  const configured = new Map(rows.map((row) => [row.channel, row]));
  return Promise.all(
    CHANNELS.map(async (channel): Promise<ChannelHealth> => {
      const row = configured.get(channel);
      if (row === undefined) return { channel, status: 'not_configured', testedAt: null };
      const key = { applicationId, channel, version: row.version };
      const [pause, breaker] = await Promise.all([
        readChannelPause(sql, key),
        // Of several accounts another one sends.
        row.has_several ? null : readOpenBreakers(sql, key),
      ]);
      return {
        channel,
        status: row.is_ready ? 'ready' : 'untested',
        testedAt: row.tested_at?.getTime() ?? null,
        ...(pause && { pause }),
        ...(breaker && { breaker }),
      };
    }),
  );
}
