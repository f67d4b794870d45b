import {
  type ApplicationSettings,
  COUNTRIES,
  type RateName,
  STORABLE,
  STORABLE_LINE,
  USER_TOKEN_ROTATION_HOURS,
  USER_TOKEN_RULES,
} from '@tidings/contracts';
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
    burst: { type: 'integer', minimum: 1, maximum: perSecondMax, description: `${unit} at once.` },
  },
});
const REQUESTS_MAX = 1_000_000;
const BYTES_MAX = 10_000_000_000;

/** Every rate of an application, by its name. */
const RATES = {
  ingest: rate('Requests to / with Server keys.', REQUESTS_MAX),
  ingestClient: rate('Requests to / with Client keys; half of ingest by default.', REQUESTS_MAX),
  ingestClientAddress: rate(
    'Requests with Client keys from one IPv4 address or IPv6 /64, to / and to /sdk/v1 each; not for private and loopback addresses.',
    REQUESTS_MAX,
  ),
  ingestBytes: rate(
    'Bytes of bodies to / and /sdk/v1, for Server keys and for Client keys each.',
    BYTES_MAX,
    'Bytes',
  ),
  push: rate('Requests to /push.', REQUESTS_MAX),
  sdk: rate('Requests to /sdk/v1 of all devices.', REQUESTS_MAX),
  sdkDevice: rate('Requests to /sdk/v1 of one device.', REQUESTS_MAX),
} as const satisfies Record<RateName, object>;

/** The settings, each as JSON Schema without its null. */
const SETTINGS = {
  defaultSubject: {
    type: 'string',
    maxLength: 200,
    pattern: STORABLE_LINE,
    description: 'one line: the subject of an e-mail without a title',
  },
  tracking: {
    type: 'boolean',
    description: 'Whether e-mails tell when they are opened and their links followed.',
  },
  sendUntested: {
    type: 'boolean',
    description: 'Send through a channel whose test send never succeeded.',
  },
  defaultCountry: {
    type: 'string',
    enum: COUNTRIES,
    description: 'an ISO 3166-1 alpha-2 code in capitals',
  },
  dedupeResolvedUsers: {
    type: 'boolean',
    description:
      'The second duplicate rule also for users named by customUserId alone. It does not hold for unproved messages of a Client key.',
  },
  clientKeysChangeContacts: {
    type: 'boolean',
    description:
      'Client keys may change profiles, e-mail addresses and phone numbers of all users without a proof. A Client key is public: every visitor of a page can then redirect the messages of other users.',
  },
  clientKeysDefineEvents: {
    type: 'boolean',
    description:
      'A new customName that a Client key sends makes a definition (default true); else the event is dropped with the reason definition_limit.',
  },
  allowListExemptsClientKeys: {
    type: 'boolean',
    description: 'Client keys may call from any address, whatever the allow-list says.',
  },
  timeZone: {
    type: 'string',
    maxLength: 64,
    pattern: STORABLE_LINE,
    description: 'the IANA name of a time zone, as Europe/Berlin',
  },
  userTokens: {
    type: 'string',
    enum: USER_TOKEN_RULES,
    description:
      'Whether devices must prove a customUserId by a user token (default required). A Client key is public: with optional, every visitor of a page can act as any user, read the messages of that user and overwrite contacts and profile fields that a Server key set, also with clientKeysChangeContacts off.',
  },
  eventRetentionDays: {
    type: 'integer',
    minimum: 1,
    maximum: 3_650,
    description: 'Days that events are kept.',
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
  summary: 'All applications',
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
  summary: 'Makes an application',
  body: Type.Object({ name: Name }, { additionalProperties: false }),
  recorded: ['name'],
  bodyExample: { name: 'Shop' },
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
  summary: 'An application with its settings',
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
  summary: 'Changes the name or settings of an application',
  description:
    'Only what is named changes; null removes a setting, which then has its default. Gateways know it within 5 s.',
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
      description: 'Sign with the bytes of this text in UTF-8, prefix included, by HS256.',
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
  summary: 'Gives an application a new secret for user tokens, shown this once',
  description: `Your back end signs with it who uses a device: a JSON Web Token (RFC 7519) by HS256 with \`sub\`, the customUserId, and \`exp\`, 24 hours ahead at most. Tokens of the secret before count for ${USER_TOKEN_ROTATION_HOURS} hours more; those of one older than that no more, so after a leak make two.`,
  parameters: { applicationId: Uuid },
  answer: {
    status: 201,
    description: 'The secret.',
    schema: UserTokenSecret,
    example: { secret: 'ut_Q0c1u2Y8m4nX7s5a9K3e6R1t8V2w5Z0bD4fG7hJ9', previousSecretUntil: null },
  },
  errorStatuses: [404],
});
