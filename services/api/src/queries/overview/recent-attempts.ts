import type { Channel } from '@tidings/contracts/channels/channels';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import type { EndedAttempts } from '../../channel-health/decide-channel-health.ts';

const statement = statementsIn(import.meta.dirname);

/** Maximum campaigns looked at, from the newest; each costs an index lookup. */
const CAMPAIGNS_MAX = 2_000;
/** Maximum log entries read of a campaign, and of all. */
const ENTRIES_OF_CAMPAIGN_MAX = 1_000;
const ATTEMPTS_MAX = 20_000;

type AttemptsRow = Omit<EndedAttempts, 'at'> & { readonly channel: Channel; readonly at: Date };

/** The attempts that ended since an instant, by channel and how they ended, without test sends. */
export async function listRecentAttempts(
  sql: Sql,
  { applicationId, since }: { readonly applicationId: string; readonly since: number },
): Promise<ReadonlyMap<Channel, readonly EndedAttempts[]>> {
  const { rows } = await sql.query<AttemptsRow>(statement('list-recent-attempts'), [
    applicationId,
    new Date(since),
    CAMPAIGNS_MAX,
    ENTRIES_OF_CAMPAIGN_MAX,
    ATTEMPTS_MAX,
  ]);
  const grouped = Map.groupBy(rows, ({ channel }) => channel);
  return new Map(
    [...grouped].map(([channel, ofChannel]) => [
      channel,
      ofChannel.map((row) => ({ ...row, at: row.at.getTime() })),
    ]),
  );
}

/** When the failures of a channel began, if that was before the attempts that were read; null: it was not. */
export async function findFailingSince(
  sql: Sql,
  {
    applicationId,
    channel,
    since,
  }: { readonly applicationId: string; readonly channel: Channel; readonly since: number },
): Promise<number | null> {
  const { rows } = await sql.query<{ at: Date | null }>(statement('find-failing-since'), [
    applicationId,
    channel,
    new Date(since),
    CAMPAIGNS_MAX,
  ]);
  return rows[0]?.at?.getTime() ?? null;
}
