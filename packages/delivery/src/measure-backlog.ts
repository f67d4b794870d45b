import type { Channel } from '@tidings/contracts/channels/channels';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type ChannelBacklog = {
  readonly channel: Channel;
  /** Recipients of active campaigns without an outcome. */
  readonly recipients: number;
  /**
   * How long the campaign that stalled first has had a due recipient without reaching an outcome
   * for any. 0 if none has stalled for a minute.
   */
  readonly stalledSeconds: number;
};

/**
 * The unsent recipients per channel, of campaigns neither paused nor ended. Channels without any
 * are left out.
 */
export async function measureBacklog(db: Database): Promise<ChannelBacklog[]> {
  const { rows } = await db.sql.query<ChannelBacklog>(statement('measure-backlog'));
  return rows;
}
