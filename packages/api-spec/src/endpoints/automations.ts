import type {
  AutomationDefinition,
  AutomationTrigger,
} from '@tidings/contracts/automations/definition';
import { AUTOMATION_STATUSES } from '@tidings/contracts/automations/runs';
import { CHANNELS } from '@tidings/contracts/channels/channels';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { STATE_GROUPS } from '@tidings/contracts/push/deliveries';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import {
  Count,
  Instant,
  instantQuery,
  NullableInstant,
  oneOf,
  pageQuery,
  pageSchema,
  Slug,
} from '../schemas.ts';
import { SplitWinner } from '../winner-schema.ts';

const strict = { additionalProperties: false } as const;
const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });

const Definition = described<AutomationDefinition>(
  { type: 'object' },
  'What happens to people after a trigger: see the reference.',
);
const LiveDefinition = described<AutomationDefinition | null>(
  { type: ['object', 'null'] },
  'What people enter now, with blocks in the places of their tags; null: never activated.',
);
const DEFINITION_EXAMPLE = {
  version: 1,
  name: 'Abandoned cart',
  purpose: 'marketing',
  trigger: {
    event: 'cartd',
    where: [{ attribute: 'price', gt: 20 }],
    maxAge: '1h',
  },
  filter: { reachable: 'EMAIL', purpose: 'marketing' },
  entry: { again: 'after', after: '3d' },
  exit: [{ event: 'order', as: 'goal' }],
  nodes: [
    { id: 'hour', delay: '1h' },
    { id: 'mail1', send: { channel: 'EMAIL', template: 'cart-1' } },
  ],
} as const satisfies AutomationDefinition;

const by = described<string>({ type: 'string' }, 'The key, token or member that changed it last.');
const frame = {
  slug: Slug,
  name: Type.String(),
  status: oneOf(AUTOMATION_STATUSES),
  draftVersion: Type.Integer({ minimum: 1, description: 'Counts changes of the draft.' }),
  liveVersion: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The version that people enter; null: it was never activated.',
  }),
  hasChanges: Type.Boolean({ description: 'Whether the draft differs from what people enter.' }),
  activatedAt: NullableInstant,
  pausedAt: NullableInstant,
  createdAt: Instant,
  updatedAt: Instant,
  updatedBy: by,
};
const FRAME_EXAMPLE = {
  slug: 'cart',
  name: 'Abandoned cart',
  status: 'active',
  draftVersion: 3,
  liveVersion: 2,
  hasChanges: false,
  activatedAt: 1_795_256_500_000,
  pausedAt: null,
  createdAt: 1_795_256_400_000,
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:ada@example.com',
} as const;
const totals = {
  entered: described<number>(Count, 'The sum of `active`, `completed`, `exited` and `failed`.'),
  active: Count,
  completed: described<number>(Count, 'Past their last node.'),
  exited: described<number>(Count, 'Ended by an exit, a goal, or a person.'),
  failed: described<number>(Count, 'Given up after three tries.'),
  goals: described<number>(Count, 'Of all of them, those that reached a goal.'),
};
const TOTALS_EXAMPLE = {
  entered: 412,
  active: 31,
  completed: 260,
  exited: 121,
  failed: 0,
  goals: 118,
};
const Automation = Type.Object(
  { ...frame, draft: Definition, live: LiveDefinition },
  { title: 'Automation' },
);
const AUTOMATION_EXAMPLE = {
  ...FRAME_EXAMPLE,
  draft: DEFINITION_EXAMPLE,
  live: DEFINITION_EXAMPLE,
};
const warnings = Type.Array(
  Type.Object({ code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() }),
);
const changed = {
  status: 200,
  description: 'The automation.',
  schema: Type.Object({ ...frame, draft: Definition, live: LiveDefinition, warnings }),
  example: { ...AUTOMATION_EXAMPLE, warnings: [] },
} as const;
const page = <T>(item: T) => ({ items: [item], nextCursor: null });

const reading = { method: 'GET', access: 'reader' } as const;
const ofAutomation = { ...reading, parameters: { slug: Slug }, errorStatuses: [404] } as const;
const changing = { access: 'application_administrator', parameters: { slug: Slug } } as const;
const acting = { ...changing, method: 'POST', errorStatuses: [404, 409] } as const;

export const listAutomationsEndpoint = endpoint({
  name: 'listAutomations',
  ...reading,
  path: 'automations',
  summary: 'List automations by slug',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of automations, with how many people each had.',
    schema: pageSchema(
      Type.Object(
        {
          ...frame,
          ...totals,
          trigger: described<AutomationTrigger>({ type: 'object' }, 'What the draft begins with.'),
          channels: Type.Array(oneOf(CHANNELS), { description: 'By which the draft sends.' }),
        },
        { title: 'ListedAutomation' },
      ),
    ),
    example: page({
      ...FRAME_EXAMPLE,
      ...TOTALS_EXAMPLE,
      trigger: DEFINITION_EXAMPLE.trigger,
      channels: ['EMAIL'],
    }),
  },
});

export const readAutomationEndpoint = endpoint({
  name: 'readAutomation',
  ...ofAutomation,
  path: 'automations/:slug',
  summary: 'Read an automation',
  answer: { status: 200, description: 'It.', schema: Automation, example: AUTOMATION_EXAMPLE },
});

export const writeAutomationEndpoint = endpoint({
  name: 'writeAutomation',
  ...changing,
  createsAtPath: true,
  method: 'PUT',
  path: 'automations/:slug',
  summary: 'Create an automation, or change its draft',
  description: `The body is the definition. What is wrong is named by its pointer, and nothing is stored. Equal content changes nothing. What people enter changes with \`activate\`. \`expectedVersion\` is the \`draftVersion\` that the caller has seen, 0 for none: 409 when the draft has another one. 409 also beyond ${LIMITS.automationsMax} automations.`,
  body: described<AutomationDefinition & { readonly expectedVersion?: number }>(
    { type: 'object' },
    'The definition: see the reference.',
  ),
  recorded: ['name'],
  bodyExample: { ...DEFINITION_EXAMPLE, expectedVersion: 2 },
  answer: changed,
  errorStatuses: [409],
});

export const deleteAutomationEndpoint = endpoint({
  name: 'deleteAutomation',
  ...changing,
  method: 'DELETE',
  path: 'automations/:slug',
  summary: 'Delete a draft, or an automation that is stopped and has no runs',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const activateAutomationEndpoint = endpoint({
  name: 'activateAutomation',
  ...acting,
  path: 'automations/:slug/activate',
  summary: 'Let people enter by the draft',
  description:
    'Makes a version, which never changes. `inFlight`: runs of older versions keep theirs (`keep`), or go on in this one at the node of the same id (`move`); where it has none, they end. Events received before enter no one. 409 for a paused automation, and without a change.',
  body: Type.Object({ inFlight: Type.Optional(oneOf(['keep', 'move'] as const)) }, strict),
  recorded: ['inFlight'],
  bodyExample: { inFlight: 'keep' },
  answer: changed,
});

export const pauseAutomationEndpoint = endpoint({
  name: 'pauseAutomation',
  ...acting,
  path: 'automations/:slug/pause',
  summary: 'Pause an automation',
  description: 'No one enters, and those who are in it wait where they are.',
  answer: changed,
});

export const resumeAutomationEndpoint = endpoint({
  name: 'resumeAutomation',
  ...acting,
  path: 'automations/:slug/resume',
  summary: 'Go on after a pause',
  description:
    'What fell due meanwhile happens now. `missedSends`: messages that are late by more than an hour are sent all the same (`send`) or left out (`skip`).',
  body: Type.Object({ missedSends: Type.Optional(oneOf(['send', 'skip'] as const)) }, strict),
  recorded: ['missedSends'],
  bodyExample: { missedSends: 'skip' },
  answer: changed,
});

export const stopAutomationEndpoint = endpoint({
  name: 'stopAutomation',
  ...acting,
  path: 'automations/:slug/stop',
  summary: 'Stop an automation',
  description:
    'No one enters any more. `runs`: those who are in it go on to their end (`finish`), or end where they are (`end`).',
  body: Type.Object({ runs: Type.Optional(oneOf(['finish', 'end'] as const)) }, strict),
  recorded: ['runs'],
  bodyExample: { runs: 'finish' },
  answer: changed,
});

export const listAutomationVersionsEndpoint = endpoint({
  name: 'listAutomationVersions',
  ...ofAutomation,
  path: 'automations/:slug/versions',
  summary: 'List what an automation was, newest first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: pageSchema(
      Type.Object(
        {
          version: Type.Integer({ minimum: 1 }),
          definition: Definition,
          createdAt: Instant,
          createdBy: by,
        },
        { title: 'AutomationVersion' },
      ),
    ),
    example: page({
      version: 2,
      definition: DEFINITION_EXAMPLE,
      createdAt: 1_795_256_500_000,
      createdBy: FRAME_EXAMPLE.updatedBy,
    }),
  },
});

const groups = Object.fromEntries(
  [...new Set(Object.values(STATE_GROUPS))].map((group) => [group, Count]),
) as Record<(typeof STATE_GROUPS)[keyof typeof STATE_GROUPS], typeof Count>;
const SENT_EXAMPLE = {
  ...(Object.fromEntries(Object.keys(groups).map((group) => [group, 0])) as Record<
    keyof typeof groups,
    number
  >),
  total: 381,
  sent: 371,
  delivered: 371,
  displayed: 190,
  opened: 190,
  clicked: 44,
  failed: 10,
};

export const readAutomationReportEndpoint = endpoint({
  name: 'readAutomationReport',
  ...ofAutomation,
  path: 'automations/:slug/report',
  summary: 'Read what became of those who entered',
  description:
    'Of those who entered on some days of UTC, from that of `from` to that of `to`, what became of them until now. `sent` has the messages of campaigns that began on these days. Days that are more than 400 days ago count as the first of their month.',
  query: Type.Object({
    from: instantQuery('The first day that counts.'),
    to: instantQuery('The last day that counts.'),
  }),
  answer: {
    status: 200,
    description: 'The report.',
    schema: Type.Object(
      {
        ...totals,
        asOf: Instant,
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            entered: Count,
            waiting: Count,
            passed: Count,
            branches: Type.Optional(
              described<Readonly<Record<string, number>>>(
                { type: 'object', additionalProperties: Count },
                'How many took which branch: `then`, `else`, or its place in a split.',
              ),
            ),
            winner: Type.Optional(SplitWinner),
            sent: Type.Optional(
              Type.Object(
                { total: Count, ...groups },
                { description: 'As `counts` of a campaign.' },
              ),
            ),
            skipped: Type.Optional(
              described<Readonly<Record<string, number>>>(
                { type: 'object', additionalProperties: Count },
                'For whom there was no message, by reason.',
              ),
            ),
          }),
          { description: 'In the order of the definition; then those of versions before.' },
        ),
      },
      { title: 'AutomationReport' },
    ),
    example: {
      ...TOTALS_EXAMPLE,
      asOf: 1_795_256_516_534,
      nodes: [
        { id: 'hour', entered: 412, waiting: 31, passed: 381 },
        { id: 'mail1', entered: 381, waiting: 0, passed: 381, sent: SENT_EXAMPLE },
        {
          id: 'ab',
          entered: 381,
          waiting: 0,
          passed: 381,
          branches: { 0: 141, 1: 240 },
          winner: {
            by: 'clicked',
            after: '3d',
            minimum: 100,
            decideAt: 1_795_000_000_000,
            figures: [
              { runs: 141, hits: 12 },
              { runs: 138, hits: 31 },
            ],
            decision: { choice: 1, certainty: 0.998, decidedAt: 1_795_000_021_304 },
          },
        },
      ],
    },
  },
});
