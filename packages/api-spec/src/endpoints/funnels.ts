import { FUNNEL_PARTS, type FunnelBreakdown } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { ANSWER, ANSWER_EXAMPLE, BUSY, described, WARNINGS, PEOPLE } from '../analytics-answers.ts';
import {
  asked,
  ASKED_EXAMPLE,
  ofFunnel,
  rangeQuery,
  reading,
  RESULTS_EXAMPLE,
  StepResults,
  steps,
  STEPS_EXAMPLE,
  window,
} from '../funnel-schemas.ts';
import { Count, Instant, oneOf, pageQuery, pageSchema, Slug } from '../schemas.ts';
import { usesAnswer } from '../uses.ts';

const answer = {
  status: 200,
  description: 'The exact numbers.',
  schema: Type.Object(
    {
      steps: StepResults,
      groups: Type.Optional(
        Type.Array(
          Type.Object({
            value: described<unknown>({}, 'Null: of those without a value.'),
            steps: StepResults,
          }),
          { description: 'With `breakdown`: the ten largest, and those without a value.' },
        ),
      ),
      othersGroups: Type.Optional(described<number>(Count, 'How many further values there are.')),
      others: Type.Optional(
        Type.Unsafe<Static<typeof StepResults> | null>({
          anyOf: [StepResults, { type: 'null' }],
          description: 'Of all those together; null without any.',
        }),
      ),
      warnings: WARNINGS,
      ...ANSWER,
    },
    { title: 'FunnelResult' },
  ),
  example: { steps: RESULTS_EXAMPLE, warnings: [], ...ANSWER_EXAMPLE },
} as const;

const breakdown = described<FunnelBreakdown>(
  { type: 'object' },
  'Parts by a value of the user as it is now, `{"field"}` of the profile or `{"attribute"}`; or `{"stepAttribute"}`, an attribute of the first event of the chain by which a person first came so far.',
);

export const askFunnelEndpoint = endpoint({
  name: 'askFunnel',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  path: 'funnels/result',
  summary: 'Count how far people come in some steps',
  description: `A person counts by the longest chain: a different event for each step, in order of time, the last at most \`window\` after the first. For each step but the last, \`users\` = \`users\` of the next + \`dropped\` + \`open\`. Nothing is stored. ${BUSY}`,
  body: Type.Object(
    {
      ...asked,
      breakdown: Type.Optional(breakdown),
      visitors: Type.Optional(
        Type.Boolean({ description: 'Also persons who were never registered.' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: ASKED_EXAMPLE,
  answer,
});

const part = {
  state: Type.Optional(
    described<(typeof FUNNEL_PARTS)[number]>(
      oneOf(FUNNEL_PARTS),
      '`reached` (default): came to the step, or further. `dropped`, `open`: no further, and too late or still in time. `converted`: came to the last step.',
    ),
  ),
  step: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.funnelStepsMax,
      description: 'From 1, the default. Not with `converted`.',
    }),
  ),
};
const AS_MANY = `As many as the number says, of registered users. Each page is asked anew. ${BUSY}`;

export const listFunnelPeopleEndpoint = endpoint({
  name: 'listFunnelPeople',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  path: 'funnels/users',
  summary: 'List the people of a number of a funnel by customUserId',
  description: AS_MANY,
  query: Type.Object(pageQuery),
  body: Type.Object(
    {
      ...asked,
      ...part,
      breakdown: Type.Optional(breakdown),
      group: Type.Optional(
        described<unknown>(
          {},
          'Only those with this value of the breakdown, which is no object and no list; null: without one.',
        ),
      ),
      others: Type.Optional(
        described<true>({ const: true }, 'Only those with none of the ten largest values.'),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: { ...ASKED_EXAMPLE, state: 'dropped', step: 2 },
  answer: PEOPLE,
});

const version = {
  version: Type.Integer({ minimum: 1, description: 'Counts changes of name, steps or window.' }),
  name: Type.String(),
  steps,
  window,
  createdAt: Instant,
};
const by = described<string>({ type: 'string' }, 'The key, token or member that made the version.');
const fields = {
  slug: Slug,
  ...version,
  updatedAt: Instant,
  updatedBy: by,
  usedBy: Type.Array(Slug, { description: 'Segments whose conditions name it.' }),
};
const Funnel = Type.Object(fields, { title: 'Funnel' });
const VERSION_EXAMPLE = {
  version: 1,
  name: 'Buying',
  steps: STEPS_EXAMPLE,
  window: '7d',
  createdAt: 1_795_256_400_000,
};
const FUNNEL_EXAMPLE = {
  slug: 'buying',
  ...VERSION_EXAMPLE,
  updatedAt: 1_795_256_400_000,
  updatedBy: 'member:ada@example.com',
  usedBy: ['lost-customers'],
};
const changing = { access: 'application_administrator', parameters: { slug: Slug } } as const;

export const listFunnelsEndpoint = endpoint({
  name: 'listFunnels',
  ...reading,
  path: 'funnels',
  summary: 'List funnels by slug',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of funnels.',
    schema: pageSchema(Funnel),
    example: { items: [FUNNEL_EXAMPLE], nextCursor: null },
  },
});

export const readFunnelEndpoint = endpoint({
  name: 'readFunnel',
  ...ofFunnel,
  path: 'funnels/:slug',
  summary: 'Read a funnel',
  answer: { status: 200, description: 'It.', schema: Funnel, example: FUNNEL_EXAMPLE },
});

export const writeFunnelEndpoint = endpoint({
  name: 'writeFunnel',
  ...changing,
  createsAtPath: true,
  method: 'PUT',
  path: 'funnels/:slug',
  summary: 'Create a funnel, or give it a new version',
  description: `Equal content changes nothing. \`expectedVersion\` is the version that the caller has seen, 0 for none: 409 when the funnel has another one. 409 also beyond ${LIMITS.funnelsMax} funnels. A change of steps or window is one for all that names the funnel: a warning says what.`,
  body: Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: LIMITS.segmentNameCharsMax,
        pattern: STORABLE_NOT_BLANK,
        description: 'text that is not blank',
      }),
      steps,
      window,
      expectedVersion: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    },
    { additionalProperties: false },
  ),
  recorded: ['name'],
  bodyExample: { name: 'Buying', steps: STEPS_EXAMPLE, window: '7d' },
  answer: {
    status: 200,
    description: 'The funnel.',
    schema: Type.Object({ ...fields, warnings: WARNINGS }),
    example: { ...FUNNEL_EXAMPLE, warnings: [] },
  },
  errorStatuses: [409],
});

export const deleteFunnelEndpoint = endpoint({
  name: 'deleteFunnel',
  ...changing,
  method: 'DELETE',
  path: 'funnels/:slug',
  summary: 'Delete a funnel',
  description:
    'Its versions stay, and `PUT` continues them. 409 while a segment, a variant of a template, an automation, or a campaign whose users are not read yet names it.',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const readFunnelUsesEndpoint = endpoint({
  name: 'readFunnelUses',
  ...ofFunnel,
  path: 'funnels/:slug/uses',
  summary: 'Read what names a funnel, so that it cannot be deleted',
  answer: usesAnswer('FunnelUses'),
});

export const listFunnelVersionsEndpoint = endpoint({
  name: 'listFunnelVersions',
  ...ofFunnel,
  path: 'funnels/:slug/versions',
  summary: 'List the versions of a funnel, newest first, also of a deleted one',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: pageSchema(Type.Object({ ...version, createdBy: by }, { title: 'FunnelVersion' })),
    example: {
      items: [{ ...VERSION_EXAMPLE, createdBy: FUNNEL_EXAMPLE.updatedBy }],
      nextCursor: null,
    },
  },
});

export const askNamedFunnelEndpoint = endpoint({
  name: 'askNamedFunnel',
  ...ofFunnel,
  path: 'funnels/:slug/result',
  summary: 'Count how far people come in a funnel',
  description: BUSY,
  query: Type.Object(rangeQuery),
  answer,
});

export const listNamedFunnelPeopleEndpoint = endpoint({
  name: 'listNamedFunnelPeople',
  ...ofFunnel,
  path: 'funnels/:slug/users',
  summary: 'List the people of a number of a named funnel by customUserId',
  description: AS_MANY,
  query: Type.Object({ ...pageQuery, ...rangeQuery, ...part }),
  answer: PEOPLE,
});
