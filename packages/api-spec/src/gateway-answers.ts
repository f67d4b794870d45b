import { CHANNELS } from '@tidings/contracts/channels/channels';
import { FIELD_CODES, WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { Type } from 'typebox';
import { CalledNumber, Count, CustomUserId, Instant, Uuid, oneOf } from './schemas.ts';

const Warning = Type.Object(
  { code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() },
  { title: 'Warning' },
);

export const IngestAcceptedSchema = Type.Object(
  {
    requestId: Uuid,
    status: oneOf(['accepted', 'partial']),
    received: Count,
    accepted: Count,
    rejected: Type.Optional(
      Type.Array(
        Type.Object({
          index: Count,
          id: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          pointer: Type.String(),
          code: oneOf(FIELD_CODES),
          detail: Type.String(),
        }),
        {
          description: 'Rejected messages; only with `Prefer: handling=lenient`.',
        },
      ),
    ),
    warnings: Type.Array(Warning),
  },
  { title: 'IngestAccepted' },
);

const recipients = Type.Object({ requested: Count, unique: Count });

const accepted = {
  campaignId: Uuid,
  status: oneOf(['queued', 'scheduled']),
  sendAt: Type.Optional(
    Type.Unsafe<number>({ ...Instant, description: 'When a scheduled campaign begins.' }),
  ),
  channel: oneOf(CHANNELS),
  createdAt: Instant,
  requestId: Uuid,
  warnings: Type.Array(Warning),
};
const PushAcceptedSchema = Type.Object({ ...accepted, recipients }, { title: 'PushAccepted' });

const segment = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The slug; null for a condition.',
});
const CountOrNull = Type.Unsafe<number | null>({
  ...Count,
  type: ['integer', 'null'],
  description: 'Exact at this moment; null from `POST /push`.',
});
const SegmentPushAcceptedSchema = Type.Object(
  {
    ...accepted,
    recipients: Type.Object({
      segment,
      estimated: Type.Unsafe<number | null>({
        ...Count,
        type: ['integer', 'null'],
        description:
          'How many users are in it now, from 2,000 users at random; null when it took too long, and always from `POST /push`, which may not read users’ events.',
      }),
    }),
  },
  { title: 'SegmentPushAccepted' },
);
const unrenderable = Type.Optional(
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
    description:
      'Recipients who lack a variable without a default, by its name; only of a personalised push. Of a split or variants, as if all got each message. Not from `POST /push` to a segment.',
  }),
);
const SegmentDryRunSchema = Type.Object(
  {
    dryRun: Type.Unsafe<true>({ type: 'boolean', description: 'true' }),
    channel: oneOf(CHANNELS),
    recipients: Type.Object({ segment, count: CountOrNull }),
    reachable: CountOrNull,
    unrenderable,
    warnings: Type.Array(Warning),
  },
  { title: 'SegmentDryRun' },
);

const DryRunSchema = Type.Object(
  {
    dryRun: Type.Unsafe<true>({ type: 'boolean', description: 'true' }),
    channel: oneOf(CHANNELS),
    recipients,
    reachable: Count,
    unreachable: Type.Object(
      Object.fromEntries(DELIVERY_REASONS.map((reason) => [reason, Type.Optional(Count)])),
    ),
    unrenderable,
    results: Type.Array(
      Type.Object({
        customUserId: CustomUserId,
        reachable: Type.Boolean(),
        reason: Type.Optional(oneOf(DELIVERY_REASONS)),
        ...CalledNumber,
      }),
      { maxItems: 1_000 },
    ),
    warnings: Type.Array(Warning),
  },
  { title: 'DryRun' },
);

export const PushAnswerSchema = Type.Unsafe<object>({
  anyOf: [PushAcceptedSchema, SegmentPushAcceptedSchema, DryRunSchema, SegmentDryRunSchema],
});
