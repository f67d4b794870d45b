import { CHANNELS } from '@tidings/contracts/channels/channels';
import { FREQUENCY_WINDOW_HOURS_MAX, POLICY_ACTIONS } from '@tidings/contracts/policies';
import type { TProperties, TSchema } from 'typebox';

/** A JSON Schema of one type. */
export type JsonType = {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly [keyword: string]: unknown;
};

const TIME_OF_DAY = {
  type: 'string',
  pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
  description: 'a local time, e.g. 21:00',
} as const;
const ACTION = { type: 'string', enum: POLICY_ACTIONS } as const;

/**
 * Settings that decide when and how much is sent. `group` wraps a whole setting, `entry` each of
 * its entries: in a change request either may be null.
 */
export function policySettings(
  group: (schema: JsonType) => TSchema,
  entry: (schema: JsonType) => object,
): TProperties {
  const action = (description: string): object => entry({ ...ACTION, description });
  const QuietHours = {
    type: 'object',
    required: ['from', 'to'],
    additionalProperties: false,
    properties: {
      from: TIME_OF_DAY,
      to: TIME_OF_DAY,
      action: action('hold (default): send after quiet hours end; drop: fail with quiet_hours'),
    },
  };
  const FrequencyCap = {
    type: 'object',
    required: ['messages', 'windowHours'],
    additionalProperties: false,
    properties: {
      messages: {
        type: 'integer',
        minimum: 0,
        maximum: 1_000,
        description: 'Maximum messages per user in the window; 0: no limit.',
      },
      windowHours: {
        type: 'integer',
        minimum: 1,
        maximum: FREQUENCY_WINDOW_HOURS_MAX,
        description: 'Window in hours, at most 720 (30 days).',
      },
      action: action(
        'drop (default): fail with frequency_capped; hold: send once the cap allows it',
      ),
    },
  };
  const DailyCap = {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Maximum messages per day (SMS: segments); 0: no limit.',
  };
  const byChannel = (schema: JsonType, keys: readonly string[], description: string): TSchema =>
    group({
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(keys.map((key) => [key, entry(schema)])),
      description,
    });
  const withDefault = ['default', ...CHANNELS];
  return {
    quietHours: byChannel(
      QuietHours,
      withDefault,
      'Quiet hours for marketing, per channel. `default` applies to channels without an entry.',
    ),
    frequencyCaps: byChannel(
      FrequencyCap,
      withDefault,
      'Marketing frequency cap per user and channel. `default` applies to channels without an entry.',
    ),
    dailyCaps: byChannel(DailyCap, CHANNELS, 'Maximum messages per day, per channel.'),
    resendOnUnknown: byChannel(
      { type: 'boolean' },
      CHANNELS,
      'Whether to send again when the outcome of an attempt is unknown, per channel. This can produce duplicates.',
    ),
  };
}
