import { CHANNELS, FREQUENCY_WINDOW_HOURS_MAX, POLICY_ACTIONS } from '@tidings/contracts';
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
  description: 'a local time, as 21:00',
} as const;
const ACTION = { type: 'string', enum: POLICY_ACTIONS } as const;

/**
 * The settings that decide when and how much is sent. `group` is what a whole setting becomes, `entry` what each of its
 * entries does: a change may name either as null.
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
      action: action('hold (the default): sent when they end; drop: failed, quiet_hours'),
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
        description: 'Messages for one user within the window; 0 is no limit.',
      },
      windowHours: {
        type: 'integer',
        minimum: 1,
        maximum: FREQUENCY_WINDOW_HOURS_MAX,
        description: 'Hours, up to 30 days.',
      },
      action: action('drop (the default): failed, frequency_capped; hold: sent when there is room'),
    },
  };
  const DailyCap = {
    type: 'integer',
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'Messages on one day, of SMS segments; 0 is no limit.',
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
      'When nobody gets marketing, for each channel, default for those without their own.',
    ),
    frequencyCaps: byChannel(
      FrequencyCap,
      withDefault,
      'How much marketing a user gets, for each channel, default for those without their own.',
    ),
    dailyCaps: byChannel(DailyCap, CHANNELS, 'The most that is sent on one day, for each channel.'),
    resendOnUnknown: byChannel(
      { type: 'boolean' },
      CHANNELS,
      'Whether a send whose outcome is unknown is made again.',
    ),
  };
}
