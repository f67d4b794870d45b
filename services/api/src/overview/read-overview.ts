import { OUTCOME_GROUPS } from '@tidings/api-spec/outcome-groups';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { countAttempts } from '@tidings/contracts/push/campaign-result';
import { countDefinitions } from '@tidings/events/definitions/budgets';
import type { Sql } from '@tidings/postgres/database';
import {
  countWaitingDeadLetters,
  listFailingCampaigns,
  listRejectedAddresses,
  listFailingWebhooks,
} from '../queries/overview/attention.ts';
import { readChannelOutcomes, type ChannelOutcomes } from '../queries/overview/channel-outcomes.ts';
import { readChannelHealth } from '../queries/overview/channel-health.ts';
import { readChart } from '../queries/charts/charts.ts';
import { readDeliveryBacklog, readFirstSteps } from '../queries/overview/progress.ts';
import { readThroughput } from '../queries/overview/throughput.ts';
import { listLastStarts } from '../charts/chart-steps.ts';
import { readTimeZone } from '../charts/read-time-zone.ts';
import { readHealth } from '../channel-health/read-health.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { listAttention } from './attention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTES = 60;
const HOURS = 24;

export type OverviewSources = Pick<ApiDependencies, 'db' | 'clock' | 'readIngestLag' | 'runsOn'>;

/** Reads the overview of an application: traffic, outcomes, backlog and problems. */
export async function readOverview(
  { db, clock, readIngestLag, runsOn }: OverviewSources,
  applicationId: string,
) {
  const nowMs = clock.now();
  const { sql } = db;
  const ofLastDay = { applicationId, since: nowMs - DAY_MS };
  const timeZone = await readTimeZone(db, applicationId);
  const [
    throughput,
    events,
    lag,
    backlog,
    channels,
    health,
    hour,
    day,
    deadLetters,
    webhooks,
    campaigns,
    addresses,
    definitions,
    firstSteps,
  ] = await Promise.all([
    readThroughput(sql, { applicationId, minutes: MINUTES, nowMs }),
    readEvents(sql, { applicationId, timeZone, nowMs }),
    readIngestLag(),
    readDeliveryBacklog(sql, applicationId),
    readChannelHealth(db, applicationId),
    readHealth({ db, clock }, applicationId),
    readChannelOutcomes(sql, { applicationId, since: nowMs - HOUR_MS }),
    readChannelOutcomes(sql, ofLastDay),
    countWaitingDeadLetters(sql, { applicationId }),
    listFailingWebhooks(sql, { applicationId }),
    listFailingCampaigns(sql, ofLastDay),
    listRejectedAddresses(sql, ofLastDay),
    countDefinitions(sql, { applicationId }),
    readFirstSteps(sql, applicationId),
  ]);
  const withHealth = channels.map((channel) => ({ ...channel, health: health[channel.channel] }));
  return {
    at: nowMs,
    ingest: { perMinute: throughput, lag },
    events,
    backlog,
    outcomes: { lastHour: shown(hour), lastDay: shown(day) },
    channels: withHealth,
    attention: listAttention({
      lag,
      deadLetters,
      webhooks,
      channels: withHealth,
      campaigns,
      addresses,
      definitions,
    }),
    runsOn,
    firstSteps,
  };
}

/** Events of the last 24 hours by event time; the current hour is last. */
async function readEvents(
  sql: Sql,
  {
    applicationId,
    timeZone,
    nowMs,
  }: { readonly applicationId: string; readonly timeZone: string; readonly nowMs: number },
) {
  const starts = listLastStarts({ points: HOURS, to: nowMs, step: 'hour', timeZone });
  const { points, countedFrom } = await readChart(sql, { applicationId, starts, to: nowMs });
  return { timeZone, perHour: points.map(({ at, events }) => ({ at, events })), countedFrom };
}

/** Channels with sends, in the fixed channel order. */
function shown({ since, campaigns, channels }: ChannelOutcomes) {
  const rows = CHANNELS.flatMap((channel) => {
    const counts = channels.get(channel);
    if (counts === undefined) return [];
    const total = OUTCOME_GROUPS.reduce((sum, group) => sum + counts[group], 0);
    return [{ channel, total, ...counts, ...countAttempts(counts, counts.notReachable) }];
  });
  return { since, campaigns, channels: rows };
}
