import { CHANNELS } from '../channels/channels.ts';
import { LIMITS } from '../limits.ts';
import { PURPOSES } from '../push/purposes.ts';
import { TEMPLATE_NAME } from '../push/push-templates.ts';
import { oneOfKeys } from '../segments/one-of-keys.ts';
import { EVENT_PARTS } from '../segments/leaves/event.ts';
import { DURATION, PATH, SLUG } from '../segments/leaves/schemas.ts';
import { STORABLE } from '../storable-text.ts';
import { DATE_TRIGGER, SCHEDULE_TRIGGER, UNTIL } from './calendar.ts';
import {
  AUTOMATION_VERSION,
  AWAITED_OUTCOMES,
  ENTRY_AGAIN,
  NODE_KEYS,
  ON_UNREACHABLE,
  SEGMENT_MOMENTS,
  SPLIT_MEASURES,
  UNSUBSCRIBABLE_CHANNELS,
} from './definition.ts';

/** `@tidings/segments` reads conditions: their schema has places of its own. */
const CONDITION = { type: 'object' };
const NODES = {
  type: 'array',
  maxItems: LIMITS.automationNodesMax,
  items: { $ref: '#/$defs/node' },
};
const ID = { ...SLUG };
const EXACTLY = { additionalProperties: false };
const TRUE = { type: 'boolean', enum: [true], description: 'true' };

const SEGMENT_CHANGE = {
  segment: SLUG,
  when: { type: 'string', enum: SEGMENT_MOMENTS },
};
const AS_GOAL = { as: { type: 'string', enum: ['goal'] } };

const MESSAGE = {
  type: 'object',
  required: ['channel'],
  properties: {
    channel: { type: 'string', enum: CHANNELS },
    template: { type: 'string', ...TEMPLATE_NAME },
    message: { type: 'object' },
  },
  oneOf: [{ required: ['template'] }, { required: ['message'] }],
  ...EXACTLY,
};

const SEND_OPTIONS = {
  onUnreachable: { type: 'string', enum: ON_UNREACHABLE },
  quietHours: { type: 'string', enum: ['wait'] },
};

/** The properties of a node by its key, beside its id, that are required. */
const NODE_SHAPES = {
  delay: { delay: DURATION },
  until: { until: UNTIL },
  waitFor: {
    waitFor: {
      type: 'object',
      ...oneOfKeys({
        event: { properties: EVENT_PARTS },
        message: {
          required: ['was'],
          properties: {
            message: {
              type: 'object',
              required: ['node'],
              properties: { node: ID },
              ...EXACTLY,
            },
            was: { type: 'string', enum: AWAITED_OUTCOMES },
          },
        },
        segment: { required: ['when'], properties: SEGMENT_CHANGE },
      }),
    },
    timeout: DURATION,
    // Computed key: an object literal with `then` would look like a promise.
    ['then' as string]: NODES,
    else: NODES,
  },
  if: { if: CONDITION, ['then' as string]: NODES, else: NODES },
  split: {
    split: {
      type: 'array',
      minItems: 2,
      maxItems: LIMITS.automationBranchesMax,
      items: {
        type: 'object',
        required: ['weight', 'nodes'],
        properties: {
          weight: { type: 'integer', minimum: 1, maximum: LIMITS.splitShareMax },
          nodes: NODES,
        },
        ...EXACTLY,
      },
    },
  },
  send: {
    send: {
      type: 'object',
      ...oneOfKeys({
        try: {
          properties: {
            try: {
              type: 'array',
              minItems: 2,
              maxItems: CHANNELS.length,
              items: { $ref: '#/$defs/message' },
            },
            ...SEND_OPTIONS,
          },
        },
        channel: { ...MESSAGE, properties: { ...MESSAGE.properties, ...SEND_OPTIONS } },
      }),
    },
  },
  exit: { exit: TRUE },
} as const;

/** Those that may be absent. */
const OPTIONAL_SHAPES: Readonly<Record<string, object>> = {
  split: {
    winner: {
      type: 'object',
      required: ['by', 'after'],
      properties: {
        by: { type: 'string', enum: SPLIT_MEASURES },
        after: DURATION,
        minimum: {
          type: 'integer',
          minimum: LIMITS.splitWinnerMinimumMin,
          maximum: LIMITS.splitWinnerMinimumMax,
        },
      },
      ...EXACTLY,
    },
  },
};

/** The JSON Schema of an automation. What needs the application is not in it: `@tidings/automations`. */
export const AutomationSchema: object = {
  type: 'object',
  required: ['version', 'name', 'purpose', 'trigger', 'nodes'],
  properties: {
    version: { type: 'integer', enum: [AUTOMATION_VERSION] },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: LIMITS.automationNameCharsMax,
      pattern: STORABLE,
      description: 'text without U+0000 or lone surrogates',
    },
    purpose: { type: 'string', enum: PURPOSES },
    trigger: {
      type: 'object',
      ...oneOfKeys({
        event: {
          properties: {
            ...EVENT_PARTS,
            maxAge: { ...DURATION, type: ['string', 'null'] },
            from: { type: 'string', enum: ['anyone'] },
          },
        },
        api: { properties: { api: TRUE } },
        schedule: SCHEDULE_TRIGGER,
        date: DATE_TRIGGER,
        // Its own key: a schedule names a segment too.
        when: { required: ['segment'], properties: { ...SEGMENT_CHANGE, existing: TRUE } },
      }),
    },
    filter: CONDITION,
    recheckFilter: { type: 'boolean' },
    entry: {
      type: 'object',
      required: ['again'],
      properties: {
        again: { type: 'string', enum: ENTRY_AGAIN },
        after: DURATION,
        key: PATH,
      },
      ...EXACTLY,
    },
    exit: {
      type: 'array',
      maxItems: LIMITS.automationExitsMax,
      items: {
        type: 'object',
        ...oneOfKeys({
          event: { properties: { ...EVENT_PARTS, ...AS_GOAL } },
          segment: { required: ['when'], properties: { ...SEGMENT_CHANGE, ...AS_GOAL } },
          unsubscribed: {
            properties: { unsubscribed: { type: 'string', enum: UNSUBSCRIBABLE_CHANNELS } },
          },
        }),
      },
    },
    goalWindow: DURATION,
    throttle: {
      type: 'object',
      required: ['sends', 'per'],
      properties: {
        sends: { type: 'integer', minimum: 1, maximum: LIMITS.automationThrottleMax },
        per: DURATION,
      },
      ...EXACTLY,
    },
    nodes: { ...NODES, minItems: 1 },
  },
  ...EXACTLY,
  $defs: {
    message: MESSAGE,
    node: {
      type: 'object',
      ...oneOfKeys(
        Object.fromEntries(
          NODE_KEYS.map((key) => {
            const properties = { id: ID, ...NODE_SHAPES[key] };
            return [
              key,
              {
                required: Object.keys(properties),
                properties: { ...properties, ...OPTIONAL_SHAPES[key] },
              },
            ];
          }),
        ),
      ),
    },
  },
};
