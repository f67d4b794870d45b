import { ATTENTION_KINDS } from '@tidings/contracts/attention';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { Type } from 'typebox';
import { ChannelHealthSchema, HEALTH_EXAMPLE } from '../channel-health-schema.ts';
import { OUTCOME_GROUPS } from '../outcome-groups.ts';
import { endpoint } from '../endpoint.ts';
import { Attempts, Count, CountedFrom, Instant, NullableInstant, Uuid, oneOf } from '../schemas.ts';

const Outcomes = Type.Object(
  {
    since: Type.Unsafe<number>({
      type: 'integer',
      format: 'int64',
      description:
        'Start of the period. Later than an hour or a day ago when there were too many campaigns to count.',
    }),
    campaigns: Count,
    channels: Type.Array(
      Type.Object({
        channel: oneOf(CHANNELS),
        total: Count,
        ...(Object.fromEntries(OUTCOME_GROUPS.map((group) => [group, Count])) as Record<
          (typeof OUTCOME_GROUPS)[number],
          typeof Count
        >),
        ...Attempts,
      }),
    ),
  },
  { title: 'ChannelOutcomes' },
);

const ChannelHealth = Type.Object(
  {
    channel: oneOf(CHANNELS),
    status: oneOf(['not_configured', 'untested', 'ready']),
    testedAt: NullableInstant,
    health: ChannelHealthSchema,
    pause: Type.Optional(
      Type.Object({
        reason: oneOf(DELIVERY_REASONS),
        providerCode: Type.Optional(Type.String()),
        providerMessage: Type.Optional(Type.String()),
        pausedAt: Instant,
      }),
    ),
    breaker: Type.Optional(
      Type.Object({
        cause: oneOf(['failures', 'rate_limited']),
        openedAt: Instant,
        probeAt: Instant,
        workers: Count,
      }),
    ),
  },
  { title: 'ChannelHealth' },
);

/** What an installation may run on. */
export const STORES = ['postgres', 'kafka', 'redis'] as const;

const Attention = Type.Object(
  {
    kind: oneOf(ATTENTION_KINDS),
    at: NullableInstant,
    count: Type.Optional(Count),
    hasMore: Type.Optional(Type.Boolean()),
    channel: Type.Optional(oneOf(CHANNELS)),
    campaignId: Type.Optional(Uuid),
    total: Type.Optional(Count),
    webhookId: Type.Optional(Uuid),
    url: Type.Optional(Type.String()),
    address: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
  },
  { title: 'Attention' },
);

const OverviewSchema = Type.Object(
  {
    at: Instant,
    ingest: Type.Object({
      perMinute: Type.Array(
        Type.Object({ at: Instant, requests: Count, messages: Count, refused: Count }),
        { description: 'Arrivals in the last hour, oldest first. The current minute is last.' },
      ),
      lag: Type.Unsafe<object | null>({
        anyOf: [
          {
            type: 'object',
            properties: {
              'users-consumer': { type: 'integer' },
              'events-consumer': { type: 'integer' },
            },
          },
          { type: 'null' },
        ],
        description:
          'Kafka consumer lag in records, for the whole installation; null while Kafka cannot be reached.',
      }),
    }),
    events: Type.Object({
      timeZone: Type.String({
        description: 'The application’s time zone.',
      }),
      perHour: Type.Array(Type.Object({ at: Instant, events: Count }), {
        description: 'Events of the last 24 hours by event time. The current hour is last.',
      }),
      countedFrom: CountedFrom,
    }),
    backlog: Type.Object(
      { campaigns: Count, deliveries: Count, since: NullableInstant },
      {
        description:
          'Active campaigns, their unfinished deliveries, and when the oldest was accepted.',
      },
    ),
    outcomes: Type.Object({ lastHour: Outcomes, lastDay: Outcomes }),
    channels: Type.Array(ChannelHealth),
    attention: Type.Array(Attention, {
      description: 'Problems that need attention, the most severe first.',
    }),
    runsOn: Type.Array(oneOf(STORES), {
      description:
        'What the installation runs on. Without Redis it is one process; without Kafka its records are in Postgres.',
    }),
    firstSteps: Type.Object({
      hasKey: Type.Boolean(),
      hasEvent: Type.Boolean(),
      hasUser: Type.Boolean(),
      hasReadyChannel: Type.Boolean(),
      hasCampaign: Type.Boolean(),
    }),
  },
  { title: 'Overview' },
);

const at = 1_795_256_520_000;
const outcomes = {
  since: at - 3_600_000,
  campaigns: 1,
  channels: [
    {
      channel: 'EMAIL',
      total: 2,
      successful: 1,
      failed: 1,
      unknown: 0,
      expired: 0,
      canceled: 0,
      waiting: 0,
      pending: 0,
      attempted: 1,
      notReachable: 1,
      successRate: 1,
    },
  ],
};
const OVERVIEW_EXAMPLE = {
  at,
  ingest: {
    perMinute: [{ at: at - (at % 60_000), requests: 3, messages: 6, refused: 1 }],
    lag: { 'users-consumer': 0, 'events-consumer': 0 },
  },
  events: {
    timeZone: 'Europe/Berlin',
    perHour: [{ at: at - (at % 3_600_000), events: 5 }],
    countedFrom: null,
  },
  backlog: { campaigns: 0, deliveries: 0, since: null },
  outcomes: { lastHour: outcomes, lastDay: { ...outcomes, since: at - 86_400_000 } },
  channels: [{ channel: 'EMAIL', status: 'ready', testedAt: at - 600_000, health: HEALTH_EXAMPLE }],
  attention: [{ kind: 'dead_letters', at: at - 60_000, count: 2 }],
  runsOn: ['postgres', 'kafka', 'redis'],
  firstSteps: {
    hasKey: true,
    hasEvent: true,
    hasUser: true,
    hasReadyChannel: true,
    hasCampaign: true,
  },
};

export const readOverviewEndpoint = endpoint({
  name: 'readOverview',
  method: 'GET',
  path: 'overview',
  access: 'application_administrator',
  summary: 'Read the state of an application: traffic, backlog, outcomes and problems',
  answer: {
    status: 200,
    description: 'The overview.',
    schema: OverviewSchema,
    example: OVERVIEW_EXAMPLE,
  },
});
