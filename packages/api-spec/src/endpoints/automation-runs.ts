import { ENTRY_REFUSALS, RUN_STATUSES, TRACE_OUTCOMES } from '@tidings/contracts/automations/runs';
import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { IDEMPOTENCY_KEY } from '../push-shared.ts';
import {
  AskedUserId,
  CustomUserId,
  Instant,
  NullableInstant,
  oneOf,
  pageQuery,
  pageSchema,
  Slug,
  Uuid,
} from '../schemas.ts';

const strict = { additionalProperties: false } as const;
const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });
const page = <T>(item: T) => ({ items: [item], nextCursor: null });

const ofAutomation = {
  method: 'GET',
  access: 'reader',
  parameters: { slug: Slug },
  errorStatuses: [404],
} as const;
const acting = {
  method: 'POST',
  access: 'application_administrator',
  errorStatuses: [404, 409],
} as const;

const run = {
  runId: Uuid,
  customUserId: described<string | null>(
    { type: ['string', 'null'] },
    'Null: the user was deleted.',
  ),
  version: Type.Integer({ minimum: 1 }),
  status: oneOf(RUN_STATUSES),
  node: described<string | null>(
    { type: ['string', 'null'] },
    'Where it waits; null: it has ended, or has not begun.',
  ),
  key: described<string>({ type: 'string' }, 'The value of `entry.key`; empty without it.'),
  error: described<string | null>({ type: ['string', 'null'] }, 'Why its last step failed.'),
  enteredAt: Instant,
  waitsUntil: NullableInstant,
  endedAt: NullableInstant,
  goalAt: NullableInstant,
};
const RUN_EXAMPLE = {
  runId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
  customUserId: 'ada',
  version: 2,
  status: 'active',
  node: 'hour',
  key: '',
  error: null,
  enteredAt: 1_795_256_516_534,
  waitsUntil: 1_795_260_116_534,
  endedAt: null,
  goalAt: null,
} as const;

export const startRunEndpoint = endpoint({
  name: 'startRun',
  method: 'POST',
  access: 'reader',
  path: 'automations/:slug/runs',
  parameters: { slug: Slug },
  summary: 'Enter a person',
  description:
    'For an active automation whose trigger is `{"api": true}`. The run is stored before the answer. 409 when the person may not enter again, or the automation is not active.',
  headers: [IDEMPOTENCY_KEY],
  body: Type.Object(
    {
      customUserId: AskedUserId,
      key: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.automationKeyCharsMax,
          pattern: STORABLE,
          description: 'Tells apart the runs of a person.',
        }),
      ),
      data: Type.Optional(
        described<Readonly<Record<string, unknown>>>(
          { type: 'object' },
          'What templates see as `event.attributes`.',
        ),
      ),
    },
    strict,
  ),
  recorded: ['customUserId'],
  bodyExample: { customUserId: 'ada', data: { price: 42 } },
  answer: {
    status: 202,
    description: 'The run.',
    headers: ['Idempotent-Replay'],
    schema: Type.Object({ runId: Uuid }),
    example: { runId: RUN_EXAMPLE.runId },
  },
  errorStatuses: [404, 409],
});

export const listRunsEndpoint = endpoint({
  name: 'listRuns',
  ...ofAutomation,
  path: 'automations/:slug/runs',
  summary: 'List the runs of an automation, newest first',
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(RUN_STATUSES)),
    node: Type.Optional(described<string>(Slug, 'Where they wait.')),
    customUserId: Type.Optional(AskedUserId),
  }),
  answer: {
    status: 200,
    description: 'A page of runs.',
    schema: pageSchema(Type.Object(run, { title: 'Run' })),
    example: page(RUN_EXAMPLE),
  },
});

const TraceLine = Type.Object(
  {
    node: Type.String({ description: 'Empty: the automation itself.' }),
    at: Instant,
    outcome: oneOf(TRACE_OUTCOMES),
    reason: Type.Optional(
      Type.String({
        description:
          'Of `passed`: the branch (`then`, `else`, or the place in `split`). Of `skipped` and `exited`: why.',
      }),
    ),
    campaignId: Type.Optional(Uuid),
    deliveryId: Type.Optional(Uuid),
  },
  { title: 'TraceLine' },
);
const ofRun = { parameters: { slug: Slug, runId: Uuid } } as const;

export const readRunEndpoint = endpoint({
  name: 'readRun',
  ...ofAutomation,
  ...ofRun,
  path: 'automations/:slug/runs/:runId',
  summary: 'Read a run with its trace',
  answer: {
    status: 200,
    description: 'It.',
    schema: Type.Object({ ...run, trace: Type.Array(TraceLine) }),
    example: {
      ...RUN_EXAMPLE,
      trace: [
        { node: '', at: RUN_EXAMPLE.enteredAt, outcome: 'entered' },
        { node: 'hour', at: RUN_EXAMPLE.enteredAt, outcome: 'waiting' },
      ],
    },
  },
});

export const endRunEndpoint = endpoint({
  name: 'endRun',
  ...acting,
  ...ofRun,
  path: 'automations/:slug/runs/:runId/end',
  summary: 'Take a person out of an automation',
  description: 'The engine ends the run within a second. 409 for a run that has ended.',
  answer: { status: 204, description: 'It will end.' },
});

export const retryRunEndpoint = endpoint({
  name: 'retryRun',
  ...acting,
  ...ofRun,
  path: 'automations/:slug/runs/:runId/retry',
  summary: 'Let a failed run go on where it failed',
  description: '409 for a run that did not fail, and when the person is in the automation again.',
  answer: { status: 204, description: 'It goes on.' },
});

export const listUserRunsEndpoint = endpoint({
  name: 'listUserRuns',
  method: 'GET',
  access: 'reader',
  path: 'users/:customUserId/automation-runs',
  parameters: { customUserId: CustomUserId },
  summary: 'List the runs of a user in all automations, newest first',
  description: 'Those of deleted automations are left out; the export of the user has them.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of runs, each with its automation.',
    schema: pageSchema(
      Type.Object(
        { ...run, automation: Type.Object({ slug: Slug, name: Type.String() }) },
        { title: 'UserRun' },
      ),
    ),
    example: page({ ...RUN_EXAMPLE, automation: { slug: 'cart', name: 'Abandoned cart' } }),
  },
  errorStatuses: [404],
});

export const readAutomationUserEndpoint = endpoint({
  name: 'readAutomationUser',
  ...ofAutomation,
  path: 'automations/:slug/users/:customUserId',
  parameters: { slug: Slug, customUserId: AskedUserId },
  summary: 'Read why a person is in an automation, or is not',
  description:
    'The last 20 events of the kind of the trigger, with what each became. An event of another definition is none of them. Of another trigger, its last 20 instants.',
  answer: {
    status: 200,
    description: 'What became of the last triggers, and the last runs.',
    schema: Type.Object(
      {
        triggers: Type.Array(
          Type.Object({
            eventId: Type.Optional(
              Type.String({
                description: 'The id of the message that it came with. Of an event alone.',
              }),
            ),
            at: Type.Unsafe<number | bigint>({
              type: 'integer',
              format: 'int64',
              description: 'Its own time, or the instant of another trigger.',
            }),
            result: described<'entered' | 'skipped' | 'pending'>(
              { type: 'string', enum: ['entered', 'skipped', 'pending'] },
              '`pending`: the engine has not looked at it yet.',
            ),
            reason: Type.Optional(oneOf(ENTRY_REFUSALS)),
            pointer: Type.Optional(
              Type.String({ description: 'What of the definition refused it.' }),
            ),
            runId: Type.Optional(Uuid),
          }),
        ),
        runs: Type.Array(Type.Object(run)),
      },
      { title: 'AutomationUser' },
    ),
    example: {
      triggers: [
        {
          eventId: 'm-17',
          at: 1_795_256_516_000,
          result: 'skipped',
          reason: 'where',
          pointer: '/trigger/where/0',
        },
      ],
      runs: [RUN_EXAMPLE],
    },
  },
});
