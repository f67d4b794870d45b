import type { Channel } from '@tidings/contracts';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type ChannelBacklog = {
  readonly channel: Channel;
  /** Recipients of campaigns at work that have no outcome yet. */
  readonly recipients: number;
  /** Since the oldest campaign with such recipients was accepted. */
  readonly oldestSeconds: number;
};

/** What each channel still has to send, of campaigns that are neither paused nor over; channels without any are left out. */
export async function measureBacklog(db: Database): Promise<ChannelBacklog[]> {
  const { rows } = await db.sql.query<ChannelBacklog>(statement('measure-backlog'));
  return rows;
}
