import { Type } from 'typebox';
import { INBOX_CHANNELS, type InboxChannel } from './channels/channels.ts';
import { LIMITS } from './limits.ts';
import { messageSchema } from './push/push.ts';

/** How a device is reached: a browser subscription, a Firebase token, or not at all. */
export const DEVICE_KINDS = ['web_push', 'fcm', 'none'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/**
 * Whether a device that names a customUserId must prove it with a token signed by the caller's back
 * end.
 */
export const USER_TOKEN_RULES = ['required', 'optional'] as const;
export type UserTokenRule = (typeof USER_TOKEN_RULES)[number];

/**
 * Hours for which the previous user-token secret stays valid: longer than the lifetime of any
 * token.
 */
export const USER_TOKEN_ROTATION_HOURS = 48;

/** Text that Postgres can store: no U+0000, no lone surrogate. */
const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
const WITHOUT = 'text without U+0000 or lone surrogates';

const id = (charsMax: number, description: string) => ({
  type: 'string',
  minLength: 1,
  maxLength: charsMax,
  pattern: STORABLE,
  description,
});
/** An id of a device. */
export const DeviceId = Type.Unsafe<string>(
  id(LIMITS.deviceIdCharsMax, `${WITHOUT}: random, because it authenticates the device`),
);

/** Null counts as absent. */
const nullable = <T>(schema: { readonly type: string }) =>
  Type.Optional(Type.Unsafe<T | null>({ ...schema, type: [schema.type, 'null'] }));

/** A customUserId that a caller wants to act for. */
export const ClaimedUserId = Type.Unsafe<string>(id(LIMITS.customUserIdCharsMax, WITHOUT));

const proof = {
  userToken: nullable<string>({ ...id(LIMITS.userTokenCharsMax, 'a JSON Web Token by HS256') }),
  customUserId: nullable<string>({ ...id(LIMITS.customUserIdCharsMax, WITHOUT) }),
};

/**
 * The body of `POST /sdk/v1/devices`. `kind` determines whether `subscription` or `token` is
 * required.
 */
export const DeviceRegistration = Type.Object(
  {
    deviceId: DeviceId,
    kind: Type.Unsafe<DeviceKind>({ type: 'string', enum: [...DEVICE_KINDS] }),
    subscription: nullable<Record<string, unknown>>({ type: 'object' }),
    token: nullable<string>({
      ...id(LIMITS.deviceTokenCharsMax, 'the token of an app at Firebase'),
    }),
    ...proof,
    timeZone: nullable<string>({ ...id(64, 'the IANA name of a time zone, as Europe/Berlin') }),
    locale: nullable<string>({
      type: 'string',
      pattern: '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$',
      description: 'a BCP 47 language tag, as de-AT',
    } as { readonly type: string }),
  },
  { title: 'DeviceRegistration' },
);
export type DeviceRegistrationBody = {
  readonly deviceId: string;
  readonly kind: DeviceKind;
  readonly subscription?: Readonly<Record<string, unknown>> | null;
  readonly token?: string | null;
  readonly timeZone?: string | null;
  readonly locale?: string | null;
} & UserClaim;

/** The user that a device claims: by a token, or by the bare id if the application allows that. */
export type UserClaim = {
  readonly userToken?: string | null;
  readonly customUserId?: string | null;
};

/** The body of `POST /sdk/v1/identify`: at least one of the two. */
export const Identification = Type.Object(
  { deviceId: DeviceId, ...proof },
  { title: 'Identification' },
);
export type IdentificationBody = { readonly deviceId: string } & UserClaim;

/** The body of `POST /sdk/v1/logout`. */
export const LogOut = Type.Object({ deviceId: DeviceId }, { title: 'LogOut' });
export type LogOutBody = { readonly deviceId: string };

/**
 * The response to all three: the id for the device's own messages, and whether it proved its user.
 */
export const DeviceAnswer = Type.Object(
  {
    serviceUserId: Type.Unsafe<string>({ type: 'string', format: 'uuid', description: 'a UUID' }),
    isProved: Type.Unsafe<boolean>({
      type: 'boolean',
      description:
        'Whether the device proved its user. Only then it gets the messages of that user and may confirm them.',
    }),
  },
  { title: 'DeviceAnswer' },
);
export type DeviceAnswerBody = { readonly serviceUserId: string; readonly isProved: boolean };

/** The response to `GET /sdk/v1/config`. */
export const ClientConfigAnswer = Type.Object(
  {
    applicationId: Type.Unsafe<string>({ type: 'string', format: 'uuid' }),
    serverTime: Type.Unsafe<number>({
      type: 'integer',
      format: 'int64',
      description: 'Milliseconds since the epoch.',
    }),
    userTokens: Type.Unsafe<UserTokenRule>({ type: 'string', enum: [...USER_TOKEN_RULES] }),
    vapidPublicKey: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Key with which browsers subscribe to web push; null while the channel has no key.',
    }),
    limits: Type.Object({ bodyBytesMax: Type.Integer() }),
  },
  { title: 'ClientConfig' },
);
export type ClientConfig = {
  readonly applicationId: string;
  /** Milliseconds since the epoch. */
  readonly serverTime: number;
  readonly userTokens: UserTokenRule;
  /** Key with which browsers subscribe to web push; null while the channel has no key. */
  readonly vapidPublicKey: string | null;
  readonly limits: { readonly bodyBytesMax: number };
};

/** Events that a device reports about a message. */
export const RECEIPT_EVENTS = ['received', 'displayed', 'clicked', 'dismissed'] as const;
export type ReceiptEvent = (typeof RECEIPT_EVENTS)[number];

const Receipt = Type.Object({
  deliveryId: Type.Unsafe<string>({ type: 'string', format: 'uuid', description: 'a UUID' }),
  event: Type.Unsafe<ReceiptEvent>({ type: 'string', enum: [...RECEIPT_EVENTS] }),
  buttonIndex: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      minimum: 0,
      maximum: 100,
      description: 'which button was clicked, from 0',
    }),
  ),
  at: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description:
        'milliseconds since the epoch; what is before the message or later than now counts as that',
    }),
  ),
});

/** The body of `POST /sdk/v1/receipts`. */
export const MessageReceipts = Type.Object(
  {
    deviceId: DeviceId,
    receipts: Type.Array(Receipt, { minItems: 1, maxItems: LIMITS.receiptsMax }),
  },
  { title: 'MessageReceipts' },
);
export type MessageReceipt = {
  readonly deliveryId: string;
  readonly event: ReceiptEvent;
  readonly buttonIndex?: number | null;
  readonly at?: number | null;
};
export type MessageReceiptsBody = {
  readonly deviceId: string;
  readonly receipts: readonly MessageReceipt[];
};

/**
 * `nothing_new`: reported before, or the outcome is final. `not_found`: no message of this user
 * that devices show.
 */
export const RECEIPT_STATUSES = ['noted', 'nothing_new', 'not_found'] as const;
export type ReceiptResult = {
  readonly deliveryId: string;
  readonly event: ReceiptEvent;
  readonly status: (typeof RECEIPT_STATUSES)[number];
};

/** The response, in the order of the receipts. */
export const ReceiptResults = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        deliveryId: Type.Unsafe<string>({ type: 'string', format: 'uuid' }),
        event: Type.Unsafe<ReceiptEvent>({ type: 'string', enum: [...RECEIPT_EVENTS] }),
        status: Type.Unsafe<ReceiptResult['status']>({
          type: 'string',
          enum: [...RECEIPT_STATUSES],
        }),
      }),
    ),
  },
  { title: 'ReceiptResults' },
);

/**
 * A message that a device fetched. `message` is unchanged; the page or app decides how to render
 * its HTML.
 */
const InboxMessage = Type.Object(
  {
    deliveryId: Type.Unsafe<string>({ type: 'string', format: 'uuid' }),
    campaignId: Type.Unsafe<string>({ type: 'string', format: 'uuid' }),
    channel: Type.Unsafe<InboxChannel>({ type: 'string', enum: [...INBOX_CHANNELS] }),
    expiresAt: Type.Unsafe<number>({
      type: 'integer',
      format: 'int64',
      description: 'Milliseconds since the epoch; after it the message is not to be shown.',
    }),
    message: Type.Unsafe<Record<string, unknown>>({
      description: 'As it was sent: `body` is the caller’s HTML, unchanged.',
      anyOf: INBOX_CHANNELS.map(messageSchema),
    }),
  },
  { title: 'InboxMessage' },
);

/** The response to `GET /sdk/v1/messages`. */
export const InboxMessages = Type.Object(
  { messages: Type.Array(InboxMessage) },
  { title: 'InboxMessages' },
);
