import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import { USER_TOKEN_ROTATION_HOURS, USER_TOKEN_RULES } from '@tidings/contracts/client-side';
import { COUNTRIES } from '@tidings/contracts/countries';
import type { RateName } from '@tidings/contracts/limits';
import { STORABLE, STORABLE_LINE } from '@tidings/contracts/storable-text';
import { Type, type TProperties, type TSchema } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, NullableInstant, Uuid, pageQuery, pageSchema } from '../schemas.ts';
import { policySettings, type JsonType } from '../policy-settings.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: STORABLE,
  description: 'text without U+0000 or lone surrogates',
});

const rate = (what: string, perSecondMax: number, unit = 'Requests') => ({
  type: 'object',
  description: what,
  required: ['perSecond', 'burst'],
  additionalProperties: false,
  properties: {
    perSecond: {
      type: 'number',
      minimum: 0,
      maximum: perSecondMax,
      description: `${unit} per second; 0 is no limit.`,
    },
    burst: {
      type: 'integer',
      minimum: 1,
      maximum: perSecondMax,
      description: `Burst: ${unit.toLowerCase()} at once, after a pause.`,
    },
  },
});
const REQUESTS_MAX = 1_000_000;
const BYTES_MAX = 10_000_000_000;

/** The rate limits of an application. */
const RATES = {
  ingest: rate('Requests to / with Server keys.', REQUESTS_MAX),
  ingestClient: rate('Requests to / with Client keys; default: half of `ingest`.', REQUESTS_MAX),
  ingestClientAddress: rate(
    'Requests with Client keys per IPv4 address or IPv6 /64, counted separately for / and /sdk/v1. Private and loopback addresses are exempt.',
    REQUESTS_MAX,
  ),
  ingestBytes: rate(
    'Body bytes to / and /sdk/v1, counted separately for Server keys and Client keys.',
    BYTES_MAX,
    'Bytes',
  ),
  push: rate('Requests to /push.', REQUESTS_MAX),
  sdk: rate('Requests to /sdk/v1, all devices together.', REQUESTS_MAX),
  sdkDevice: rate('Requests to /sdk/v1 per device.', REQUESTS_MAX),
} as const satisfies Record<RateName, object>;

/** The settings as JSON Schemas, without null. */
const SETTINGS = {
  defaultSubject: {
    type: 'string',
    maxLength: 200,
    pattern: STORABLE_LINE,
    description: 'the default subject of e-mails, one line',
  },
  tracking: {
    type: 'boolean',
    description: 'Track opens and clicks of e-mails.',
  },
  keepSentMessages: {
    type: 'boolean',
    description:
      'Keep what was filled into each personal message, as long as its delivery: `GET campaigns/{campaignId}/deliveries/{deliveryId}/message` answers with its words, and each attempt has the same.',
  },
  sendUntested: {
    type: 'boolean',
    description: 'Allow sending through a channel before a test send succeeded.',
  },
  defaultCountry: {
    type: 'string',
    enum: COUNTRIES,
    description: 'an ISO 3166-1 alpha-2 code in upper case',
  },
  dedupeResolvedUsers: {
    type: 'boolean',
    description:
      'Also treat events as duplicates that have the same user and time, where the user is named by customUserId only. Does not apply to unproved messages of a Client key.',
  },
  clientKeysChangeContacts: {
    type: 'boolean',
    description:
      'Let Client keys change the profile, e-mail address and phone number of any user without a user token. Insecure: a Client key is public, so any visitor could redirect the messages of other users.',
  },
  clientKeysDefineEvents: {
    type: 'boolean',
    description:
      'Let Client keys create event definitions by sending a new customName (default true). Otherwise such events are dropped with the reason definition_limit.',
  },
  allowListExemptsClientKeys: {
    type: 'boolean',
    description: 'Exempt Client keys from the IP allow-list.',
  },
  timeZone: {
    type: 'string',
    maxLength: 64,
    pattern: STORABLE_LINE,
    description: 'an IANA time zone, e.g. Europe/Berlin',
  },
  userTokens: {
    type: 'string',
    enum: USER_TOKEN_RULES,
    description:
      'Whether devices must prove a customUserId with a user token (default: required). `optional` is insecure: a Client key is public, so any visitor could act as any user, read that user’s messages and overwrite contacts and profile fields that a Server key set, even with clientKeysChangeContacts off.',
  },
  eventRetentionDays: {
    type: 'integer',
    minimum: 1,
    maximum: 3_650,
    description: 'Retention of events in days.',
  },
} as const;

const nullable = ({ type, ...rest }: JsonType) =>
  Type.Optional(
    Type.Unsafe<never>({
      ...rest,
      type: [type, 'null'],
      ...(rest.enum && { enum: [...rest.enum, null] }),
    }),
  );

const settingsSchema = (
  groups: TProperties,
  field: (schema: (typeof SETTINGS)[keyof typeof SETTINGS]) => TSchema,
) =>
  Type.Object(
    {
      ...(Object.fromEntries(
        Object.entries(SETTINGS).map(([name, schema]) => [name, field(schema)]),
      ) as TProperties),
      ...groups,
    },
    { additionalProperties: false },
  );

const optional = (schema: object) => Type.Optional(Type.Unsafe<object>({ ...schema }));

const Settings = Type.Unsafe<ApplicationSettings>(
  settingsSchema(
    {
      rates: optional({ type: 'object', additionalProperties: false, properties: RATES }),
      ...policySettings(optional, (schema) => schema),
    },
    optional,
  ),
);
const SettingsChange = settingsSchema(
  {
    rates: nullable({
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(RATES).map(([name, schema]) => [name, nullable(schema)]),
      ),
    }),
    ...policySettings(nullable, nullable),
  },
  nullable,
);

const Application = Type.Object(
  { applicationId: Uuid, name: Type.String(), settings: Settings, createdAt: Instant },
  { title: 'Application' },
);

const APPLICATION_EXAMPLE = {
  applicationId: '01a1fd9f-1111-7000-8000-000000000001',
  name: 'Shop',
  settings: { defaultCountry: 'DE', rates: { push: { perSecond: 50, burst: 100 } } },
  createdAt: 1_795_256_400_000,
};

export const listApplicationsEndpoint = endpoint({
  name: 'listApplications',
  method: 'GET',
  path: 'applications',
  access: 'administrator',
  summary: 'List applications',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of applications.',
    schema: pageSchema(Application),
    example: { items: [APPLICATION_EXAMPLE], nextCursor: null },
  },
});

export const createApplicationEndpoint = endpoint({
  name: 'createApplication',
  method: 'POST',
  path: 'applications',
  access: 'administrator',
  summary: 'Create an application',
  description: 'Its days, and so its charts and daily caps, are those of `timeZone`; without, UTC.',
  body: Type.Object(
    { name: Name, timeZone: Type.Optional(Type.Unsafe<string>(SETTINGS.timeZone)) },
    { additionalProperties: false },
  ),
  recorded: ['name', 'timeZone'],
  bodyExample: { name: 'Shop', timeZone: 'Europe/Berlin' },
  answer: {
    status: 201,
    description: 'The application.',
    schema: Application,
    example: APPLICATION_EXAMPLE,
  },
});

export const readApplicationEndpoint = endpoint({
  name: 'readApplication',
  method: 'GET',
  path: 'applications/:applicationId',
  access: 'administrator',
  summary: 'Read an application with its settings',
  parameters: { applicationId: Uuid },
  answer: {
    status: 200,
    description: 'The application.',
    schema: Application,
    example: APPLICATION_EXAMPLE,
  },
  errorStatuses: [404],
});

export const changeApplicationEndpoint = endpoint({
  name: 'changeApplication',
  method: 'PATCH',
  path: 'applications/:applicationId',
  access: 'administrator',
  summary: 'Change the name or settings of an application',
  description:
    'Absent fields stay unchanged. `null` resets a setting to its default. Gateways apply the change within 5 s.',
  parameters: { applicationId: Uuid },
  body: Type.Object(
    { name: Type.Optional(Name), settings: Type.Optional(SettingsChange) },
    { additionalProperties: false },
  ),
  recorded: ['name', 'settings'],
  bodyExample: {
    settings: {
      defaultCountry: 'DE',
      rates: { push: { perSecond: 50, burst: 100 } },
      defaultSubject: null,
    },
  },
  answer: {
    status: 200,
    description: 'The application.',
    schema: Application,
    example: APPLICATION_EXAMPLE,
  },
  errorStatuses: [404],
});

const UserTokenSecret = Type.Object(
  {
    secret: Type.String({
      description: 'The HS256 key: the UTF-8 bytes of this text, prefix included. Shown only once.',
    }),
    previousSecretUntil: NullableInstant,
  },
  { title: 'UserTokenSecret' },
);

export const rotateUserTokenSecretEndpoint = endpoint({
  name: 'rotateUserTokenSecret',
  method: 'POST',
  path: 'applications/:applicationId/user-token-secret',
  access: 'administrator',
  summary: 'Rotate the secret of user tokens',
  description: [
    'Your back end signs user tokens with this secret: a JSON Web Token (RFC 7519, HS256) with `sub`, the customUserId, and `exp`, at most 24 hours ahead.',
    `Tokens of the previous secret stay valid for ${USER_TOKEN_ROTATION_HOURS} hours; tokens of older secrets are rejected.`,
    'After a leak, rotate twice.',
  ].join(' '),
  parameters: { applicationId: Uuid },
  answer: {
    status: 201,
    description: 'The secret.',
    schema: UserTokenSecret,
    example: { secret: 'ut_Q0c1u2Y8m4nX7s5a9K3e6R1t8V2w5Z0bD4fG7hJ9', previousSecretUntil: null },
  },
  errorStatuses: [404],
});
