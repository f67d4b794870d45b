import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import { STORABLE, STORABLE_LINE } from '@tidings/api-spec/plain-text';
import {
  isDeviceToken,
  isE164,
  isMailbox,
  parseWebPushSubscription,
  type Channel,
} from '@tidings/contracts';
import { Type, type TSchema } from 'typebox';
import { checkDkim } from '../../channel-settings/dkim-faults.ts';
import { completeServiceAccount } from '../../channel-settings/service-account.ts';
import { completeVapidKeys } from '../../channel-settings/vapid-keys.ts';

type Input = Readonly<Record<string, unknown>>;

/** Settings as they are kept, from what was written and what was there. @throws AppError validation_failed */
export type Completion = (input: Input, before: ChannelSettings | null) => Input;

/** How the settings of one channel are checked, and which of them are secrets: written, never read. */
export type ChannelForm = {
  readonly schema: TSchema;
  readonly secretFields: readonly string[];
  /** Of the interface's description: what may be written. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Where a test send may go. */
  readonly testExample: string;
  /** Whether a test send can go to this address. */
  readonly isTestAddress: (to: string) => boolean;
  /** Where an address may be longer than others. */
  readonly testAddressCharsMax?: number;
  /** What the schema cannot say, and what nobody writes but the service. */
  readonly complete?: Completion;
};

const line = (charsMax: number) =>
  Type.Optional(
    Type.String({ maxLength: charsMax, pattern: STORABLE_LINE, description: 'text on one line' }),
  );

/** Of every channel: what its provider takes from this application. */
const ratePerSecond = Type.Optional(
  Type.Number({
    minimum: 0.01,
    maximum: 10_000,
    description: 'sends a second, from 0.01 to 10000',
  }),
);

const MAILBOX = '^[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+@[^\\s\\p{Cc}\\ud800-\\udfff@<>(),;:"]+$';
const DOMAIN = '^(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,62}\\.)+[A-Za-z0-9-]{2,63}$';

export const EmailSettings = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[A-Za-z0-9.:_-]+$',
      description: 'a host name or address',
    }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    security: Type.Unsafe<string>({ enum: ['none', 'starttls', 'tls'] }),
    fromAddress: Type.String({
      minLength: 3,
      maxLength: 254,
      pattern: MAILBOX,
      description: 'an e-mail address',
    }),
    fromName: line(100),
    username: line(200),
    password: line(1_000),
    dkimDomain: Type.Optional(
      Type.String({ maxLength: 253, pattern: DOMAIN, description: 'a domain' }),
    ),
    dkimSelector: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
        description: 'a selector: letters, digits, dots and hyphens',
      }),
    ),
    dkimPrivateKey: Type.Optional(
      Type.String({
        maxLength: 20_000,
        pattern: STORABLE,
        description: 'an RSA private key in PEM',
      }),
    ),
    bounceDomain: Type.Optional(
      Type.String({ maxLength: 253, pattern: DOMAIN, description: 'a domain' }),
    ),
    bounceSecret: Type.Optional(
      Type.String({
        pattern: '^(\\*{8}|[^\\p{Cc}\\ud800-\\udfff]{16,200})$',
        description: '16 to 200 characters on one line',
      }),
    ),
    unsubscribeMailbox: Type.Optional(
      Type.String({ maxLength: 254, pattern: MAILBOX, description: 'an e-mail address' }),
    ),
    ratePerSecond,
  },
  { additionalProperties: false },
);

/** An address of the Web that has no user and no password in it: what it may lead to is decided at connection. */
const WEB_ADDRESS =
  '^https?://[^\\s\\p{Cc}\\ud800-\\udfff@\\\\/]+(?:/[^\\s\\p{Cc}\\ud800-\\udfff]*)?$';

const smsFields = {
  accountSid: Type.String({
    pattern: '^AC[0-9a-fA-F]{32}$',
    description: 'an account of Twilio: AC and 32 hexadecimal digits',
  }),
  authToken: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: STORABLE_LINE,
    description: 'text on one line',
  }),
  from: Type.Optional(
    Type.String({
      pattern: '^(\\+[1-9]\\d{6,14}|(?=[A-Za-z0-9 ]*[A-Za-z])[A-Za-z0-9 ]{1,11}|\\d{3,8})$',
      description: 'a number in E.164, a short code or a sender name',
    }),
  ),
  messagingServiceSid: Type.Optional(
    Type.String({
      pattern: '^MG[0-9a-fA-F]{32}$',
      description: 'a messaging service of Twilio: MG and 32 hexadecimal digits',
    }),
  ),
  ratePerSecond,
  apiBaseUrl: Type.Optional(
    Type.String({ maxLength: 300, pattern: WEB_ADDRESS, description: 'an http or https address' }),
  ),
};

/** Twilio: one account, and either a number or a messaging service to send from. */
export const SmsSettings = Type.Unsafe<Record<string, unknown>>({
  ...Type.Object(smsFields, { additionalProperties: false }),
  oneOf: [
    { type: 'object', required: ['from'], properties: { from: {} } },
    { type: 'object', required: ['messagingServiceSid'], properties: { messagingServiceSid: {} } },
  ],
});

const webhookSecret = () =>
  Type.String({
    pattern: '^(whsec_[A-Za-z0-9+/]{32,86}={0,2}|\\*{8})$',
    description: 'whsec_ and 24 to 64 bytes in base64',
  });

/** Signed hooks; a second secret while receivers change from one to the other. */
export const WebHookSettings = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        maxLength: 2_000,
        pattern: WEB_ADDRESS,
        description: 'an http or https address',
      }),
    ),
    secret: webhookSecret(),
    previousSecret: Type.Optional(webhookSecret()),
    ratePerSecond,
  },
  { additionalProperties: false },
);

/** Web push: whom a push service writes to about pushes, and the key pair that browsers subscribe with. */
export const WebPushSettings = Type.Object(
  {
    subject: Type.String({
      maxLength: 300,
      pattern:
        '^(mailto:[^\\s\\p{Cc}\\ud800-\\udfff@]+@[^\\s\\p{Cc}\\ud800-\\udfff@]+|https://[^\\s\\p{Cc}\\ud800-\\udfff]+)$',
      description: 'mailto: and an address, or an https address',
    }),
    publicKey: Type.Optional(
      Type.String({
        pattern: '^B[A-Za-z0-9_-]{86}$',
        description: 'a public key on P-256 in base64url',
      }),
    ),
    privateKey: Type.Optional(
      Type.String({
        pattern: '^([A-Za-z0-9_-]{43}|\\*{8})$',
        description: 'a private key on P-256 in base64url',
      }),
    ),
    rotateKeys: Type.Optional(Type.Boolean()),
    ratePerSecond,
  },
  { additionalProperties: false },
);

/** FCM: the service account of a project. */
export const AppPushSettings = Type.Object(
  {
    serviceAccount: Type.Unsafe<string | object>({
      type: ['string', 'object'],
      description: 'the JSON file of a service account',
    }),
    ratePerSecond,
    apiBaseUrl: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: WEB_ADDRESS,
        description: 'an http or https address',
      }),
    ),
  },
  { additionalProperties: false },
);

const CUSTOM_USER_ID_CHARS_MAX = 256;
/** Subscriptions and tokens: what an index of Postgres takes. */
const DEVICE_ADDRESS_CHARS_MAX = 2_000;

/** Nobody is to be signed in to: to be configured is to be wanted. A test send goes to a user, whose devices get it. */
const INBOX_FORM: ChannelForm = {
  schema: Type.Object({}, { additionalProperties: false }),
  secretFields: [],
  isTestAddress: (to) => to !== '' && to.length <= CUSTOM_USER_ID_CHARS_MAX,
  example: {},
  testExample: 'ada',
};

/** How each channel is configured. */
export const CHANNEL_FORMS: Readonly<Record<Channel, ChannelForm>> = {
  EMAIL: {
    schema: EmailSettings,
    secretFields: ['password', 'dkimPrivateKey', 'bounceSecret'],
    complete: checkDkim,
    isTestAddress: isMailbox,
    example: {
      host: 'smtp.example.com',
      port: 587,
      security: 'starttls',
      fromAddress: 'shop@example.com',
      username: 'shop',
      password: 'correct horse battery staple',
    },
    testExample: 'me@example.com',
  },
  SMS: {
    schema: SmsSettings,
    secretFields: ['authToken'],
    isTestAddress: isE164,
    example: {
      accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
      authToken: 'the account’s auth token',
      from: '+15005550006',
    },
    testExample: '+4915112345678',
  },
  WEB_HOOK: {
    schema: WebHookSettings,
    secretFields: ['secret', 'previousSecret'],
    // The hook goes to the url of the settings; it names this customUserId.
    isTestAddress: (to) => to.length <= CUSTOM_USER_ID_CHARS_MAX,
    example: {
      url: 'https://hooks.example.com/tidings',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    testExample: 'ada',
  },
  WEB_PUSH: {
    schema: WebPushSettings,
    secretFields: ['privateKey'],
    complete: completeVapidKeys,
    isTestAddress: (to) => parseWebPushSubscription(to) !== null,
    testAddressCharsMax: DEVICE_ADDRESS_CHARS_MAX,
    example: { subject: 'mailto:ops@example.com' },
    testExample: `{"endpoint":"https://fcm.googleapis.com/fcm/send/abc","keys":{"p256dh":"B${'A'.repeat(86)}","auth":"${'A'.repeat(22)}"}}`,
  },
  APP_PUSH: {
    schema: AppPushSettings,
    secretFields: ['serviceAccount'],
    complete: completeServiceAccount,
    isTestAddress: isDeviceToken,
    testAddressCharsMax: DEVICE_ADDRESS_CHARS_MAX,
    example: {
      serviceAccount:
        '{"type":"service_account","project_id":"shop","client_email":"…","private_key":"…"}',
    },
    testExample: 'fGx2:APA91bE',
  },
  IN_APP: INBOX_FORM,
  ON_SITE: INBOX_FORM,
};
