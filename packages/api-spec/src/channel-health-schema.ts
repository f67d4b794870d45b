import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { Type, type Static } from 'typebox';
import { Count, NullableInstant, oneOf } from './schemas.ts';

/**
 * `idle`: no attempt ended. `failing`: nothing gets through, or at least half fails. `degraded`: at
 * least a tenth fails.
 */
const CHANNEL_HEALTH_STATES = ['idle', 'sending', 'degraded', 'failing'] as const;

/** What became of the attempts of a channel in the last hour. */
export const ChannelHealthSchema = Type.Object(
  {
    state: Type.Unsafe<(typeof CHANNEL_HEALTH_STATES)[number]>({
      ...oneOf(CHANNEL_HEALTH_STATES),
      description:
        '`failing`: 10 attempts or more since the last successful one, none of them successful; or half of at least 20. `degraded`: a tenth of at least 20 attempts was not successful. `idle`: no attempts. `sending`: any others.',
    }),
    since: Type.Unsafe<number | null>({
      ...NullableInstant,
      description: 'When `failing`: since when. Null in other states.',
    }),
    attempts: Type.Unsafe<number>({
      ...Count,
      description:
        'Attempts that ended in the last hour, without test sends and those that a rate limit put off; if none was successful lately, those since the last success. Of each of the newest 2,000 campaigns at most the newest 1,000 log entries are counted.',
    }),
    failed: Type.Unsafe<number>({
      ...Count,
      description: 'Those that failed, also if they will be repeated.',
    }),
    unknown: Type.Unsafe<number>({
      ...Count,
      description: 'Those without an answer of the provider.',
    }),
    reason: Type.Unsafe<(typeof DELIVERY_REASONS)[number] | null>({
      anyOf: [oneOf(DELIVERY_REASONS), { type: 'null' }],
      description: 'The most frequent reason of those that failed or are unknown.',
    }),
  },
  { title: 'RecentOutcomes' },
);

export type RecentOutcomes = Static<typeof ChannelHealthSchema>;

/** Of a channel that sends without trouble. */
export const HEALTH_EXAMPLE: RecentOutcomes = {
  state: 'sending',
  since: null,
  attempts: 311,
  failed: 2,
  unknown: 0,
  reason: 'provider_rejected',
};
