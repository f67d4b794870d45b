import type { OUTCOME_GROUPS } from '@tidings/api-spec/outcome-groups';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { Sql } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** `notReachable`: the part of `failed` without an attempt. */
export type OutcomeCounts = Readonly<
  Record<(typeof OUTCOME_GROUPS)[number] | 'notReachable', number>
>;

/** `since`: start of the period; later than requested when there were too many campaigns. */
export type ChannelOutcomes = {
  readonly since: number;
  readonly campaigns: number;
  readonly channels: ReadonlyMap<Channel, OutcomeCounts>;
};

/** Maximum campaigns counted; each costs an index lookup. */
const CAMPAIGNS_MAX = 5_000;

type OutcomeRow = {
  readonly channel: Channel | null;
  readonly group: (typeof OUTCOME_GROUPS)[number] | null;
  readonly n: number;
  readonly not_reachable: number;
  readonly campaigns: number;
  readonly oldest: Date | null;
};

/** Outcomes per channel for campaigns since an instant, without test sends. */
export async function readChannelOutcomes(
  sql: Sql,
  { applicationId, since }: { readonly applicationId: string; readonly since: number },
): Promise<ChannelOutcomes> {
  const { rows } = await sql.query<OutcomeRow>(statement('read-channel-outcomes'), [
    applicationId,
    firstIdSince(since),
    CAMPAIGNS_MAX,
  ]);
  const channels = new Map<Channel, OutcomeCounts>();
  for (const { channel, group, n, not_reachable: notReachable } of rows) {
    if (channel === null || group === null) continue;
    channels.set(channel, {
      ...(channels.get(channel) ?? NONE),
      [group]: n,
      ...(group === 'failed' && { notReachable }),
    });
  }
  const [{ campaigns, oldest } = { campaigns: 0, oldest: null }] = rows;
  return {
    since: campaigns === CAMPAIGNS_MAX && oldest !== null ? oldest.getTime() : since,
    campaigns,
    channels,
  };
}

const NONE: OutcomeCounts = {
  notReachable: 0,
  successful: 0,
  failed: 0,
  unknown: 0,
  expired: 0,
  canceled: 0,
  waiting: 0,
  pending: 0,
};
