import type { RecentOutcomes } from '@tidings/api-spec/channel-health-schema';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import type { Clock } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { findFailingSince, listRecentAttempts } from '../queries/overview/recent-attempts.ts';
import { decideChannelHealth, type EndedAttempts } from './decide-channel-health.ts';

const HOUR_MS = 3_600_000;

type HealthSources = { readonly db: Pick<Database, 'sql'>; readonly clock: Clock };

/** What the outcomes of the last hour say of each channel of an application. */
export async function readHealth(
  { db: { sql }, clock }: HealthSources,
  applicationId: string,
): Promise<Readonly<Record<Channel, RecentOutcomes>>> {
  const since = clock.now() - HOUR_MS;
  const attempts = await listRecentAttempts(sql, { applicationId, since });
  const readOne = async (channel: Channel): Promise<RecentOutcomes> => {
    const ofChannel = attempts.get(channel) ?? [];
    const health = decideChannelHealth(ofChannel);
    if (health.since === null || ofChannel.some(isSuccess)) return health;
    const before = await findFailingSince(sql, { applicationId, channel, since });
    return { ...health, since: Math.min(before ?? Infinity, health.since) };
  };
  const entries = CHANNELS.map(async (channel) => [channel, await readOne(channel)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<Channel, RecentOutcomes>;
}

const isSuccess = ({ outcome }: EndedAttempts): boolean => outcome === 'succeeded';
