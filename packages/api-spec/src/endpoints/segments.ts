import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  AskedUserId,
  Count,
  CustomUserId,
  Instant,
  instantQuery,
  oneOf,
  pageQuery,
  pageSchema,
  SearchText,
  Slug,
} from '../schemas.ts';
import { explained } from '../explanation-schema.ts';
import { PERSON_EXAMPLE, PersonSchema } from '../person-schema.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';
import { usesAnswer } from '../uses.ts';

const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });

const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.segmentNameCharsMax,
  pattern: STORABLE_NOT_BLANK,
  description: 'text that is not blank',
});
const condition = described<Condition>({ type: 'object' }, 'A condition: see the reference.');
const CONDITION_EXAMPLE = {
  all: [
    { field: 'country', is: 'DE' },
    { event: 'qwert', count: { gte: 3 }, within: '30d' },
  ],
};

const version = {
  version: Type.Integer({ minimum: 1, description: 'Counts changes of name or condition.' }),
  name: Type.String(),
  condition,
  createdAt: Instant,
};
const by = described<string>({ type: 'string' }, 'The key, token or member that made the version.');
const perChannel = <T>(value: T) =>
  Object.fromEntries(CHANNELS.map((channel) => [channel, value])) as Record<Channel, T>;
const reachableCounts = Type.Object(perChannel(Count), {
  description: 'Members whom a transactional message would reach now.',
});
const lastCount = Type.Unsafe<{
  readonly count: number;
  readonly reachable: Readonly<Record<Channel, number>>;
  readonly asOf: number;
} | null>({
  anyOf: [
    Type.Object({ count: Count, reachable: reachableCounts, asOf: Instant }),
    { type: 'null' },
  ],
  description: 'The last answer of `GET segments/{slug}/count` for this version; null: none yet.',
});
const fields = {
  slug: Slug,
  ...version,
  updatedAt: Instant,
  updatedBy: by,
  lastCount,
  usedBy: Type.Array(Slug, { description: 'Segments whose conditions name it.' }),
};
const VERSION_EXAMPLE = {
  version: 2,
  name: 'Loyal customers',
  condition: CONDITION_EXAMPLE,
  createdAt: 1_795_256_400_000,
};
const SEGMENT_EXAMPLE = {
  slug: 'loyal-customers',
  ...VERSION_EXAMPLE,
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:ada@example.com',
  lastCount: null,
  usedBy: [],
};
const Segment = Type.Object(fields, { title: 'Segment' });
const ListedSegment = Type.Object(
  {
    ...fields,
    campaigns: Type.Integer({
      minimum: 0,
      description: 'How many of the newest 1,000 campaigns were for it.',
    }),
    templates: Type.Integer({ minimum: 0, description: 'Templates with a variant for it.' }),
  },
  { title: 'ListedSegment' },
);
const warnings = Type.Array(
  Type.Object({ code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() }),
);
const page = <T>(item: T) => ({ items: [item], nextCursor: null });

const reading = { method: 'GET', access: 'reader' } as const;
const ofSegment = { ...reading, parameters: { slug: Slug }, errorStatuses: [404] } as const;
const changing = { access: 'application_administrator', parameters: { slug: Slug } } as const;
const asking = {
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  body: Type.Object({ condition }, { additionalProperties: false }),
  bodyExample: { condition: CONDITION_EXAMPLE },
} as const;
/** Matches of a search among the members of a condition. */
export const PEOPLE_FOUND_MAX = 200;

const BUSY =
  '503 when the answer takes more than 15 s, waits for others for more than 30 s, or too many wait.';

export const listSegmentsEndpoint = endpoint({
  name: 'listSegments',
  ...reading,
  path: 'segments',
  summary: 'List segments by slug',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of segments.',
    schema: pageSchema(ListedSegment),
    example: page({
      ...SEGMENT_EXAMPLE,
      lastCount: { count: 1204, reachable: perChannel(873), asOf: 1_795_256_516_534 },
      campaigns: 4,
      templates: 0,
    }),
  },
});

export const readSegmentEndpoint = endpoint({
  name: 'readSegment',
  ...ofSegment,
  path: 'segments/:slug',
  summary: 'Read a segment',
  answer: { status: 200, description: 'It.', schema: Segment, example: SEGMENT_EXAMPLE },
});

export const writeSegmentEndpoint = endpoint({
  name: 'writeSegment',
  ...changing,
  createsAtPath: true,
  method: 'PUT',
  path: 'segments/:slug',
  summary: 'Create a segment, or give it a new version',
  description:
    'Equal content changes nothing. `expectedVersion` is the version that the caller has seen, 0 for none: 409 when the segment has another one. 409 also beyond 200 segments. `preview`, `count` and `explain` are no slugs.',
  body: Type.Object(
    {
      name: Name,
      condition,
      expectedVersion: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    },
    { additionalProperties: false },
  ),
  recorded: ['name'],
  bodyExample: { name: 'Loyal customers', condition: CONDITION_EXAMPLE, expectedVersion: 1 },
  answer: {
    status: 200,
    description: 'The segment.',
    schema: Type.Object({ ...fields, warnings }),
    example: { ...SEGMENT_EXAMPLE, warnings: [] },
  },
  errorStatuses: [409],
});

export const deleteSegmentEndpoint = endpoint({
  name: 'deleteSegment',
  ...changing,
  method: 'DELETE',
  path: 'segments/:slug',
  summary: 'Delete a segment',
  description:
    'Its versions stay, and `PUT` continues them. 409 when another segment, a variant of a template, an automation, or a campaign whose users are not read yet names it.',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const readSegmentUsesEndpoint = endpoint({
  name: 'readSegmentUses',
  ...ofSegment,
  path: 'segments/:slug/uses',
  summary: 'Read what names a segment, so that it cannot be deleted',
  answer: usesAnswer('SegmentUses'),
});

export const listSegmentVersionsEndpoint = endpoint({
  name: 'listSegmentVersions',
  ...ofSegment,
  path: 'segments/:slug/versions',
  summary: 'List the versions of a segment, newest first, also of a deleted one',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: pageSchema(Type.Object({ ...version, createdBy: by }, { title: 'SegmentVersion' })),
    example: page({ ...VERSION_EXAMPLE, createdBy: SEGMENT_EXAMPLE.updatedBy }),
  },
});

const answered = {
  asOf: described<number>({ type: 'integer', format: 'int64' }, 'The moment of the answer, in ms.'),
  tookMs: Count,
};
const ANSWERED_EXAMPLE = { asOf: 1_795_256_516_534, tookMs: 95 };
const counted = {
  status: 200,
  description: 'The exact count.',
  schema: Type.Object(
    {
      count: Count,
      reachable: reachableCounts,
      ...answered,
    },
    { title: 'SegmentCount' },
  ),
  example: { count: 1204, reachable: perChannel(873), ...ANSWERED_EXAMPLE },
} as const;

export const previewSegmentEndpoint = endpoint({
  name: 'previewSegment',
  ...asking,
  path: 'segments/preview',
  summary: 'Estimate the members of a condition',
  description: `Asks some 2,000 users at random: with 95 % certainty the count is between \`low\` and \`high\`. Fewer than 4,000 registered users are all asked. Nothing is stored. With \`parts\` also of each condition of a group by itself, if there are at most ${LIMITS.conditionCountedLeavesMax} in all. ${USER_QUESTION_BUSY}`,
  body: Type.Object(
    { condition, parts: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  ),
  bodyExample: { condition: CONDITION_EXAMPLE, parts: true },
  answer: {
    status: 200,
    description: 'The estimate.',
    schema: Type.Object({
      estimate: Type.Object({ count: Count, low: Count, high: Count, isExact: Type.Boolean() }),
      sample: Type.Array(Type.String(), { description: 'customUserIds of some members.' }),
      stillOpen: Type.Array(Type.Object({ pointer: Type.String(), count: Count }), {
        description:
          'For each `notFollowedBy` and `neverFollowedBy` with `in`: how many members may still do it in time, estimated as the members are.',
      }),
      parts: Type.Optional(
        Type.Array(Type.Object({ pointer: Type.String(), count: Count }), {
          description:
            'With `parts`: how many users each condition of a group has by itself, estimated from the same users; empty when that took too long.',
        }),
      ),
      warnings,
      ...answered,
    }),
    example: {
      estimate: { count: 1204, low: 1020, high: 1415, isExact: false },
      sample: ['ada', 'bob'],
      stillOpen: [],
      parts: [
        { pointer: '/condition/all/0', count: 5300 },
        { pointer: '/condition/all/1', count: 2110 },
      ],
      warnings: [],
      ...ANSWERED_EXAMPLE,
    },
  },
});

export const countConditionEndpoint = endpoint({
  name: 'countCondition',
  ...asking,
  path: 'segments/count',
  summary: 'Count the members of a condition',
  description: BUSY,
  answer: counted,
});

export const countSegmentEndpoint = endpoint({
  name: 'countSegment',
  ...ofSegment,
  path: 'segments/:slug/count',
  summary: 'Count the members of a segment',
  description: `The list of segments shows the last count. ${BUSY}`,
  answer: counted,
});

export const listSegmentMembersEndpoint = endpoint({
  name: 'listSegmentMembers',
  ...ofSegment,
  path: 'segments/:slug/users',
  summary: 'List the members of a segment by customUserId',
  description: `Each page is asked anew: users may enter or leave between pages. ${BUSY}`,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of members.',
    schema: pageSchema(PersonSchema),
    example: page(PERSON_EXAMPLE),
  },
});

export const listConditionMembersEndpoint = endpoint({
  name: 'listConditionMembers',
  ...asking,
  path: 'segments/users',
  summary: 'List the members of a condition by customUserId',
  description: `With \`search\` the best ${PEOPLE_FOUND_MAX} matches of all users are asked, in one page: the beginning of a customUserId, a name, an e-mail address or a phone number. Each page is asked anew. ${BUSY}`,
  query: Type.Object({ ...pageQuery, search: Type.Optional(SearchText) }),
  answer: {
    status: 200,
    description: 'A page of members.',
    schema: pageSchema(PersonSchema),
    example: page(PERSON_EXAMPLE),
  },
});

const AT =
  'An instant of the past (milliseconds since the epoch): events and messages as they were then, the condition and the profile as they are now. Default: now.';
export const explainSegmentEndpoint = endpoint({
  name: 'explainSegment',
  ...ofSegment,
  path: 'segments/:slug/users/:customUserId',
  summary: 'Explain why a user is, or is not, in a segment',
  description: USER_QUESTION_BUSY,
  parameters: { slug: Slug, customUserId: CustomUserId },
  query: Type.Object({ at: instantQuery(AT) }),
  answer: explained,
});

export const listUserSegmentsEndpoint = endpoint({
  name: 'listUserSegments',
  ...reading,
  path: 'users/:customUserId/segments',
  parameters: { customUserId: CustomUserId },
  summary: 'List segments by slug, and whether the user is in each',
  description: USER_QUESTION_BUSY,
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of segments.',
    schema: pageSchema(
      Type.Object(
        { slug: Slug, name: Type.String(), isMember: Type.Boolean() },
        { title: 'UserSegment' },
      ),
    ),
    example: page({ slug: 'loyal-customers', name: 'Loyal customers', isMember: true }),
  },
  errorStatuses: [404],
});

export const explainConditionEndpoint = endpoint({
  name: 'explainCondition',
  ...asking,
  path: 'segments/explain',
  summary: 'Explain why a condition is, or is not, true of a user',
  description: USER_QUESTION_BUSY,
  body: Type.Object(
    {
      condition,
      customUserId: AskedUserId,
      at: instantQuery(AT),
    },
    { additionalProperties: false },
  ),
  bodyExample: { condition: CONDITION_EXAMPLE, customUserId: 'ada' },
  answer: explained,
  errorStatuses: [404],
});
