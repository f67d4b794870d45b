import {
  accountsThatSend,
  type ChannelAccount,
  type ChannelStatus,
} from '@tidings/accounts/channel-settings';
import { breakerOfAll, readAccountObstacles } from '@tidings/channel-breakers/account-obstacles';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import type { ChannelPause } from '@tidings/delivery/channel-pauses';
import { readOpenBreakers, type OpenBreakers } from '@tidings/channel-breakers/open-breakers';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type ChannelHealth = {
  readonly channel: Channel;
  readonly status: ChannelStatus;
  readonly testedAt: number | null;
  readonly pause?: ChannelPause & { readonly pausedAt: number };
  readonly breaker?: OpenBreakers;
};

type Account = Pick<ChannelAccount, 'name' | 'status'>;
type ConfiguredChannel = Account & {
  readonly channel: Channel;
  readonly is_ready: boolean;
  readonly version: number;
  readonly tested_at: Date | null;
  readonly others: readonly Account[];
};

/** Reads for each channel whether it is configured and tested, and what prevents sending. */
export async function readChannelHealth(
  { sql }: Pick<Database, 'sql'>,
  applicationId: string,
): Promise<ChannelHealth[]> {
  const { rows } = await sql.query<ConfiguredChannel>(statement('list-configured-channels'), [
    applicationId,
  ]);
  const configured = new Map(rows.map((row) => [row.channel, row]));
  return Promise.all(
    CHANNELS.map(async (channel): Promise<ChannelHealth> => {
      const row = configured.get(channel);
      if (row === undefined) return { channel, status: 'not_configured', testedAt: null };
      const key = { applicationId, channel, version: row.version };
      const [pause, breaker] = await Promise.all([
        readChannelPause(sql, key),
        readBreaker(sql, key, row),
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

/** Of several accounts that may send, each must have an open one, or be paused. */
async function readBreaker(
  sql: Sql,
  key: Parameters<typeof readAccountObstacles>[1],
  { name, status, others }: ConfiguredChannel,
): Promise<OpenBreakers | null> {
  if (others.length === 0) return readOpenBreakers(sql, key);
  const sending = accountsThatSend([{ name, status }, ...others]);
  return breakerOfAll(
    await readAccountObstacles(
      sql,
      key,
      sending.map((account) => account.name),
    ),
  );
}
