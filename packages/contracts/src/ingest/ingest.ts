import { Type } from 'typebox';
import { EVENT_CURRENCIES } from '../currencies.ts';
import type { FieldCode, Warning } from '../errors/error-codes.ts';
import { LIMITS } from '../limits.ts';

/** The four message types of `POST /`. */
export const MESSAGE_TYPES = ['action', 'revenue', 'businessEvent', 'user'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The kinds of event definitions: every message type that names an event. */
export const EVENT_KINDS = ['action', 'revenue', 'businessEvent'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A field that may also be null, which counts as absent (for profile fields: clears). */
const nullableString = (charsMax?: number) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...(charsMax === undefined ? {} : { maxLength: charsMax }),
  });

/**
 * A Long. A double cannot distinguish its largest values, so the gateway checks the range on the
 * exact digits.
 */
const Long = (description: string) =>
  Type.Unsafe<number | bigint>({ type: 'integer', format: 'int64', description });

/** Exactly one of `name` and `customName`; null counts as absent. */
const naming = {
  oneOf: [
    {
      required: ['name'],
      properties: { name: { type: 'string' }, customName: { type: 'null' } },
    },
    {
      required: ['customName'],
      properties: { customName: { type: 'string' }, name: { type: 'null' } },
    },
  ],
};

const names = {
  name: Type.Optional(nullableString(LIMITS.nameCharsMax)),
  customName: Type.Optional(nullableString(LIMITS.customNameCharsMax)),
};

const attributes = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Arbitrary keys; values keep their JSON type.',
  }),
);

/** Fields of every message; the schema of each type only adds its own. */
const common = {
  id: Type.String({
    minLength: 1,
    maxLength: LIMITS.messageIdCharsMax,
    description: 'Unique per application.',
  }),
  time: Long('When it happened, in milliseconds since the epoch.'),
};

const ActionMessage = Type.Object(
  { type: Type.Literal('action'), ...names, attributes },
  { title: 'ActionMessage', ...naming },
);
const BusinessEventMessage = Type.Object(
  { type: Type.Literal('businessEvent'), ...names, attributes },
  { title: 'BusinessEventMessage', ...naming },
);
const RevenueMessage = Type.Object(
  {
    type: Type.Literal('revenue'),
    ...names,
    revenue: Type.Number({ description: 'The amount.' }),
    currency: Type.Unsafe<string>({
      type: 'string',
      enum: EVENT_CURRENCIES,
      description: 'an ISO 4217 code in capitals',
    }),
  },
  { title: 'RevenueMessage', ...naming },
);

/** The profile fields with a plain string value. */
export const PROFILE_STRING_FIELDS = [
  'firstName',
  'lastName',
  'phoneNumber',
  'hashedPhoneNumber',
  'email',
  'hashedEmail',
  'country',
  'city',
  'region',
  'locality',
  'gender',
] as const;
export const PROFILE_FIELDS = [...PROFILE_STRING_FIELDS, 'birthday'] as const;
export type ProfileField = (typeof PROFILE_FIELDS)[number];

const UserMessage = Type.Object(
  {
    type: Type.Literal('user'),
    ...Object.fromEntries(
      PROFILE_STRING_FIELDS.map((field) => [field, Type.Optional(nullableString())]),
    ),
    birthday: Type.Optional(
      Type.Unsafe<number | null>({ type: ['integer', 'null'], format: 'int64' }),
    ),
    customAttributes: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        type: ['object', 'null'],
        // Everything but an array is allowed at the top level of a custom attribute.
        additionalProperties: { not: { type: 'array' } },
      }),
    ),
  },
  { title: 'UserMessage' },
);

const variants = {
  action: ActionMessage,
  revenue: RevenueMessage,
  businessEvent: BusinessEventMessage,
  user: UserMessage,
} as const satisfies Record<MessageType, object>;

/** A Long beyond 2^53 arrives as a bigint. */
export type IngestMessage = {
  readonly id: string;
  readonly time: number | bigint;
} & (EventMessage | ({ readonly type: 'user' } & ProfileUpdate));

export type EventMessage = {
  readonly type: EventKind;
  readonly name?: string | null;
  readonly customName?: string | null;
  readonly attributes?: Record<string, unknown>;
  readonly revenue?: number;
  readonly currency?: string;
};

export type ProfileUpdate = {
  readonly [field in ProfileField]?: string | number | bigint | null;
} & { readonly customAttributes?: Record<string, unknown> | null };

/** One element of `messages`. */
export const IngestMessage = Type.Unsafe<IngestMessage>({
  title: 'IngestMessage',
  type: 'object',
  required: ['type', 'id', 'time'],
  properties: common,
  discriminator: { propertyName: 'type' },
  oneOf: Object.values(variants),
});

/** The body of `POST /`. */
export const IngestEnvelope = Type.Object(
  {
    customUserId: Type.Optional(nullableString(LIMITS.customUserIdCharsMax)),
    serviceUserId: Type.Optional(nullableString()),
    messages: Type.Array(IngestMessage, { minItems: 1, maxItems: LIMITS.messagesMax }),
  },
  { title: 'IngestEnvelope' },
);
export type IngestEnvelope = {
  readonly customUserId?: string | null;
  readonly serviceUserId?: string | null;
  readonly messages: readonly IngestMessage[];
};

/**
 * The known fields of the envelope and of each message type. Other fields get a warning and are not
 * stored.
 */
export const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(Object.keys(IngestEnvelope.properties));
const fieldsOf = (type: MessageType): ReadonlySet<string> =>
  new Set([...Object.keys(common), ...Object.keys(variants[type].properties)]);
export const MESSAGE_FIELDS = {
  action: fieldsOf('action'),
  revenue: fieldsOf('revenue'),
  businessEvent: fieldsOf('businessEvent'),
  user: fieldsOf('user'),
} as const satisfies Record<MessageType, ReadonlySet<string>>;

/** The outcome of one message; an event is `held` until its user is registered. */
export const MESSAGE_OUTCOMES = ['pending', 'processed', 'duplicate', 'dropped', 'held'] as const;
export type MessageOutcome = (typeof MESSAGE_OUTCOMES)[number];

/** Why a message was not processed normally (closed list). */
export const RECEIPT_REASONS = [
  'duplicate_id',
  'duplicate_user_time',
  'empty_name',
  'unknown_slug',
  'slug_kind_mismatch',
  'unregistered_user',
  'invalid_service_user_id',
  'empty_user_id',
  'identity_conflict',
  'identity_unproved',
  'definition_discarded',
  'definition_limit',
  'stale_profile_field',
  'client_key_field',
  'dead_letter',
] as const;
export type ReceiptReason = (typeof RECEIPT_REASONS)[number];

/** A rejected message of a partially accepted request, with its first fault. */
export type RejectedMessage = {
  readonly index: number;
  /** The id of the message, if it has one. */
  readonly id: string | null;
  readonly pointer: string;
  readonly code: FieldCode;
  readonly detail: string;
};

/**
 * The response to an accepted `POST /`. `partial` only if the caller asked for lenient handling and
 * some messages were rejected.
 */
export type IngestAccepted = {
  readonly requestId: string;
  readonly status: 'accepted' | 'partial';
  readonly received: number;
  readonly accepted: number;
  readonly rejected?: readonly RejectedMessage[];
  readonly warnings: readonly Warning[];
};
