import { RUN_STATUSES, TRACE_OUTCOMES } from '@tidings/contracts/automations/runs';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { DEVICE_KINDS } from '@tidings/contracts/client-side';
import { PROFILE_STRING_FIELDS } from '@tidings/contracts/ingest/ingest';
import {
  DELIVERY_REASONS,
  DELIVERY_STATES,
  type DeliveryReason,
} from '@tidings/contracts/push/deliveries';
import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { EVENT_EXAMPLE, EVENT_FIELDS } from '../event-schema.ts';
import {
  AskedUserId,
  CalledNumber,
  Count,
  CustomUserId,
  DeviceReference,
  Instant,
  NullableInstant,
  NullableString,
  Text,
  Uuid,
  oneOf,
  pageQuery,
  pageSchema,
} from '../schemas.ts';
import { personFields } from '../person-schema.ts';
import { EXPORT_EXAMPLE, LISTED_USER_EXAMPLE, USER_EXAMPLE } from '../examples/users.ts';

const Event = Type.Object(EVENT_FIELDS, { title: 'Event' });

const ProfileText = Type.Optional(Type.String());
const Profile = Type.Object({
  ...(Object.fromEntries(PROFILE_STRING_FIELDS.map((field) => [field, ProfileText])) as Record<
    (typeof PROFILE_STRING_FIELDS)[number],
    typeof ProfileText
  >),
  birthday: Type.Optional(
    Type.Unsafe<number | bigint>({
      type: 'integer',
      format: 'int64',
      description: 'Milliseconds since the epoch.',
    }),
  ),
  customAttributes: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object' }),
});

const identity = {
  customUserId: CustomUserId,
  serviceUserIds: Type.Array(Uuid),
  registeredAt: Instant,
};
const Identified = { ...identity, updatedAt: Instant, profile: Profile };

const device = {
  deviceRef: DeviceReference,
  kind: oneOf(DEVICE_KINDS),
  serviceUserId: Uuid,
  isProved: Type.Boolean({
    description:
      'Whether the device proved its user with a user token. Only such devices get messages.',
  }),
  timeZone: NullableString,
  locale: NullableString,
  createdAt: Instant,
  seenAt: Instant,
};
const ListedDevice = Type.Object(
  {
    ...device,
    reachable: Type.Boolean({
      description: 'Whether it proved its user and has a push subscription or token.',
    }),
  },
  { title: 'Device' },
);

const Reach = Type.Object({
  ok: Type.Boolean(),
  reason: Type.Optional(oneOf(DELIVERY_REASONS)),
  ...CalledNumber,
});
const User = Type.Object({
  ...Identified,
  reachable: Type.Object(
    Object.fromEntries(CHANNELS.map((channel) => [channel, Reach])) as Record<
      Channel,
      typeof Reach
    >,
  ),
  devices: Type.Array(ListedDevice, {
    description: 'SDK installations, last seen first.',
  }),
});

const ListedUser = Type.Object(
  {
    ...identity,
    ...personFields,
  },
  { title: 'ListedUser' },
);

type ExportedRun = {
  readonly runId: string;
  readonly enteredAt: number;
  readonly event: Readonly<Record<string, unknown>> | null;
};

const ExportedDelivery = Type.Object({
  deliveryId: Uuid,
  campaignId: Uuid,
  channel: oneOf(CHANNELS),
  status: oneOf(DELIVERY_STATES),
  reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
  attempts: Count,
  createdAt: Instant,
  sentAt: NullableInstant,
  values: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
    type: ['object', 'null'],
    description: 'What was filled into its message; null: nothing is recorded.',
  }),
  run: Type.Unsafe<ExportedRun | null>({
    type: ['object', 'null'],
    description:
      'Of a message of an automation: the run that sent it, and the event that began the run.',
  }),
});
const ExportedDevice = Type.Object({
  ...device,
  reachable: Type.Boolean(),
  address: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'A web push subscription as JSON, or an FCM token.',
  }),
});
const ExportedAutomations = Type.Object({
  runs: Type.Array(
    Type.Object({
      runId: Uuid,
      automation: Type.String(),
      version: Type.Integer({ minimum: 1 }),
      status: oneOf(RUN_STATUSES),
      key: Type.String(),
      eventId: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The id of the message that began it; null: the API asked for it.',
      }),
      time: Type.Unsafe<number | bigint>({ type: 'integer', format: 'int64' }),
      data: Type.Unknown({ description: 'What the API gave it; else null.' }),
      enteredAt: Instant,
      endedAt: NullableInstant,
      goalAt: NullableInstant,
      trace: Type.Array(
        Type.Object({
          node: Type.String(),
          at: Instant,
          outcome: oneOf(TRACE_OUTCOMES),
          reason: NullableString,
          campaignId: NullableString,
          deliveryId: NullableString,
        }),
      ),
    }),
  ),
  triggers: Type.Array(
    Type.Object({
      automation: Type.String(),
      kind: Type.Union([Type.String(), Type.Null()], {
        description: 'What could have let them in; null: an event.',
      }),
      occurredAt: Type.Unsafe<number | null>({
        ...NullableInstant,
        description: 'Of what is no event: its instant.',
      }),
      requestId: Uuid,
      messageIndex: Count,
      at: Instant,
      result: Type.String({ description: '`entered`, or why not.' }),
      runId: NullableString,
    }),
  ),
  entries: Type.Array(
    Type.Object({
      automation: Type.String(),
      key: Type.String(),
      entries: Count,
      lastEnteredAt: Instant,
    }),
  ),
});
const Export = Type.Object({
  user: Type.Object(Identified),
  devices: Type.Array(ExportedDevice),
  events: Type.Array(Event),
  deliveries: Type.Array(ExportedDelivery),
  automations: ExportedAutomations,
});

const user = {
  access: 'reader',
  parameters: { customUserId: CustomUserId },
  errorStatuses: [404],
} as const;

export const listUsersEndpoint = endpoint({
  name: 'listUsers',
  method: 'GET',
  path: 'users',
  access: 'reader',
  summary: 'List or search registered users',
  description:
    '`search` matches a customUserId prefix, or exactly one of: serviceUserId, e-mail address (case-insensitive), phone number (E.164, national format of the default country, or as sent), or a hash of one of the last two. Ordered by customUserId.',
  query: Type.Object({ ...pageQuery, search: Type.Optional(Text) }),
  answer: {
    status: 200,
    description: 'A page of users.',
    schema: pageSchema(ListedUser),
    example: { items: [LISTED_USER_EXAMPLE], nextCursor: null },
  },
});

/** Texts of one request. */
const RESOLVED_TEXTS_MAX = 1_000;
/** How many of several users with one address are named. */
export const RESOLVED_USERS_MAX = 5;

export const resolveUsersEndpoint = endpoint({
  name: 'resolveUsers',
  method: 'POST',
  path: 'users/resolve',
  access: 'reader',
  isQuestion: true,
  summary: 'Find the users of ids, e-mail addresses and phone numbers',
  description: `Of each text, in their order: the registered user with this id, else those with this e-mail address or phone number, of whom at most ${RESOLVED_USERS_MAX} are named. A phone number is E.164 or in the national format of the default country.`,
  body: Type.Object(
    { texts: Type.Array(AskedUserId, { minItems: 1, maxItems: RESOLVED_TEXTS_MAX }) },
    { additionalProperties: false },
  ),
  bodyExample: { texts: ['ada', 'ada@example.com'] },
  answer: {
    status: 200,
    description: 'The users of each text.',
    schema: Type.Object({
      items: Type.Array(
        Type.Object(
          { text: Type.String(), customUserIds: Type.Array(Type.String()) },
          { title: 'ResolvedText' },
        ),
      ),
    }),
    example: {
      items: [
        { text: 'ada', customUserIds: ['ada'] },
        { text: 'ada@example.com', customUserIds: ['ada', 'ada-2'] },
      ],
    },
  },
});

export const readUserEndpoint = endpoint({
  name: 'readUser',
  ...user,
  method: 'GET',
  path: 'users/:customUserId',
  summary: 'Read a user with profile, reachability and devices',
  answer: { status: 200, description: 'The user.', schema: User, example: USER_EXAMPLE },
});

export const listUserEventsEndpoint = endpoint({
  name: 'listUserEvents',
  ...user,
  method: 'GET',
  path: 'users/:customUserId/events',
  summary: 'List the events of a user, newest event time first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: pageSchema(Event),
    example: { items: [EVENT_EXAMPLE], nextCursor: null },
  },
});

const TimelineMessage = Type.Object({
  deliveryId: Uuid,
  campaignId: Uuid,
  channel: oneOf(CHANNELS),
  status: oneOf(DELIVERY_STATES),
  reason: Type.Unsafe<DeliveryReason | null>({ enum: [...DELIVERY_REASONS, null] }),
  sentAt: NullableInstant,
});
const When = Type.Unsafe<number | bigint>({
  type: 'integer',
  format: 'int64',
  description: 'Event time as sent by the caller; for messages, when the delivery was created.',
});
const TimelineEvent = Type.Object({ kind: oneOf(['event']), at: When, event: Event });
const TimelineSend = Type.Object({ kind: oneOf(['message']), at: When, message: TimelineMessage });
const TimelineProfile = Type.Object({
  kind: oneOf(['profile']),
  at: When,
  messageId: Type.String(),
  fields: Type.Array(Type.String()),
});
const TimelineItem = Type.Unsafe<
  Static<typeof TimelineEvent> | Static<typeof TimelineSend> | Static<typeof TimelineProfile>
>({ anyOf: [TimelineEvent, TimelineSend, TimelineProfile] });

export const readTimelineEndpoint = endpoint({
  name: 'readUserTimeline',
  ...user,
  method: 'GET',
  path: 'users/:customUserId/timeline',
  summary: 'Read the timeline of a user, newest first: events, messages and profile changes',
  description:
    'A profile change lists the fields that still have the value of that `user` message. Overwritten values are not kept.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of the timeline.',
    schema: pageSchema(TimelineItem),
    example: {
      items: [
        { kind: 'event', at: EVENT_EXAMPLE.time, event: EVENT_EXAMPLE },
        {
          kind: 'profile',
          at: 1_760_000_000_000,
          messageId: 'm1',
          fields: ['firstName', 'email', 'customAttributes.plan'],
        },
      ],
      nextCursor: null,
    },
  },
});

export const listHeldEventsEndpoint = endpoint({
  name: 'listHeldEvents',
  ...user,
  method: 'GET',
  path: 'users/:customUserId/held-events',
  summary: 'List held events of an unregistered user, newest event time first',
  description:
    'Held events become visible when the user is registered; then the list is empty. 404 for a customUserId that was never seen.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: pageSchema(Event),
    example: { items: [EVENT_EXAMPLE], nextCursor: null },
  },
});

export const exportUserEndpoint = endpoint({
  name: 'exportUser',
  ...user,
  method: 'GET',
  path: 'users/:customUserId/export',
  isExport: true,
  summary: 'Export all data of a user',
  answer: {
    status: 200,
    description:
      'Profile, devices, events, deliveries, and what automations know of the user, in one streamed JSON document.',
    schema: Export,
    example: EXPORT_EXAMPLE,
    headers: ['Content-Disposition'],
  },
});

export const deleteUserEndpoint = endpoint({
  name: 'deleteUser',
  ...user,
  method: 'DELETE',
  path: 'users/:customUserId',
  summary: 'Delete a user permanently',
  description:
    'Deletes profile, ids, devices, events (held ones included) and addresses in deliveries. Messages accepted before the deletion do not recreate the user. Deliveries stay with the customUserId, so that campaign counts stay correct. Used message ids stay used.',
  answer: { status: 204, description: 'Deleted.' },
});
