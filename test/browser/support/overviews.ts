import type { Overview } from '@tidings/web/src/api/types.ts';

const NO_OUTCOMES: Overview['outcomes']['lastDay'] = { since: 0, campaigns: 0, channels: [] };

/** The overview of an application that has all first steps, and nothing sent. */
export const overviewWith = (own: Partial<Overview>): Overview => ({
  at: 0,
  ingest: { perMinute: [], lag: null },
  events: { timeZone: 'Etc/UTC', perHour: [], countedFrom: null },
  backlog: { campaigns: 0, deliveries: 0, since: null },
  outcomes: { lastHour: NO_OUTCOMES, lastDay: NO_OUTCOMES },
  channels: [],
  attention: [],
  runsOn: ['postgres'],
  firstSteps: {
    hasKey: true,
    hasEvent: true,
    hasUser: true,
    hasReadyChannel: true,
    hasCampaign: true,
  },
  ...own,
});
