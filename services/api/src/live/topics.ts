import type { CampaignReports } from '@tidings/campaign-reports/reports';
import { listIngestLog } from '@tidings/events/ingest-log/ingest-log';
import type { LogEntry } from '@tidings/events/ingest-log/log-entry';
import { stringifyExactJson } from '@tidings/platform';
import { readOverview, type OverviewSources } from '../overview/read-overview.ts';
import type { Topic } from './live-hub.ts';

const INTERVALS_MS = { overview: 5_000, campaign: 1_000, ingest: 1_000 } as const;
/**
 * Maximum log entries per event. If there are more, older ones are omitted and `isTruncated` is
 * set.
 */
const ENTRIES_MAX = 100;

type IngestUpdate = { readonly entries: readonly LogEntry[]; readonly isTruncated: boolean };

export type TopicSources = OverviewSources & {
  readonly reports: Pick<CampaignReports, 'readProgress'>;
};

/** Creates a topic from its name; null for an unknown name. */
export function createTopic(
  sources: TopicSources,
  applicationId: string,
  name: string,
): Topic | null {
  const { db, reports } = sources;
  const key = `${applicationId} ${name}`;
  const [kind, campaignId] = name.split(':', 2);
  if (kind === 'campaign' && campaignId !== undefined) {
    return {
      key,
      name,
      event: 'campaign',
      intervalMs: INTERVALS_MS.campaign,
      read: () => reports.readProgress(applicationId, campaignId),
      change: changedFields,
    };
  }
  if (name === 'overview')
    return {
      key,
      name,
      event: 'overview',
      intervalMs: INTERVALS_MS.overview,
      read: () => readOverview(sources, applicationId),
      change: changedFields,
    };
  if (name === 'ingest') {
    const read = async (): Promise<IngestUpdate> => ({
      entries: (await listIngestLog(db, { applicationId, limit: ENTRIES_MAX })).items,
      isTruncated: false,
    });
    return {
      key,
      name,
      event: 'ingest',
      intervalMs: INTERVALS_MS.ingest,
      read,
      change: (before, now) => newEntries(before as IngestUpdate, now as IngestUpdate),
    };
  }
  return null;
}

/** The changed fields. The whole value if one side is not an object. Undefined for no change. */
function changedFields(before: unknown, now: unknown): unknown {
  const isSame = (one: unknown, other: unknown): boolean =>
    stringifyExactJson(one) === stringifyExactJson(other);
  if (!isObject(before) || !isObject(now)) return isSame(before, now) ? undefined : now;
  const changed = Object.entries(now).filter(
    ([name, value]) => !isSame(before[name] ?? null, value ?? null),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** New entries, and entries whose outcome changed: consumers may process requests out of order. */
function newEntries(before: IngestUpdate, now: IngestUpdate): IngestUpdate | undefined {
  const known = new Set(before.entries.map(entryKey));
  const entries = now.entries.filter((entry) => !known.has(entryKey(entry)));
  return entries.length === 0
    ? undefined
    : { entries, isTruncated: entries.length === ENTRIES_MAX };
}

const entryKey = (entry: LogEntry): string =>
  [
    entry.requestId,
    'index' in entry ? entry.index : -1,
    entry.outcome,
    'reason' in entry ? entry.reason : '',
  ].join(' ');
