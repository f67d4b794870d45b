import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import {
  REHEARSAL_ASSUMPTIONS,
  REHEARSAL_CUTS,
  REHEARSAL_ERRORS,
  REHEARSAL_STATUSES,
  type ByReason,
} from '@tidings/contracts/automations/rehearsals';
import { TRACE_OUTCOMES } from '@tidings/contracts/automations/runs';
import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Count, Instant, NullableInstant, oneOf, Slug, Uuid } from '../schemas.ts';

const strict = { additionalProperties: false } as const;
const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });
const byReason = (description: string) =>
  described<ByReason>({ type: 'object', additionalProperties: Count }, description);

export const rehearseAutomationEndpoint = endpoint({
  name: 'rehearseAutomation',
  method: 'POST',
  access: 'application_administrator',
  path: 'automations/:slug/rehearse',
  parameters: { slug: Slug },
  summary: 'Try an automation on stored events',
  description: `Nothing is sent and no one enters: see the reference for what is assumed. Rehearses the draft, or the \`definition\` of the body, which is not stored as a draft. Events received from \`from\` to \`to\` count, at most ${LIMITS.rehearsalPeriodDaysMax} days. It reads up to ${LIMITS.rehearsalEventsMax} events within ${LIMITS.rehearsalMinutesMax} minutes. 409 while another rehearsal of the application runs.`,
  body: Type.Object(
    {
      from: Type.Unsafe<number>({ ...Instant, description: 'The first instant that counts.' }),
      to: Type.Optional(
        Type.Unsafe<number>({
          ...Instant,
          description: 'The last one, not later than now. Absent: now.',
        }),
      ),
      definition: Type.Optional(
        described<AutomationDefinition>({ type: 'object' }, 'In place of the draft.'),
      ),
    },
    strict,
  ),
  recorded: ['from', 'to'],
  bodyExample: { from: 1_792_578_000_000, to: 1_795_256_400_000 },
  answer: {
    status: 202,
    description: 'It is stored, and runs within seconds.',
    schema: Type.Object({ rehearsalId: Uuid }),
    example: { rehearsalId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc' },
  },
  errorStatuses: [404, 409],
});

const Line = Type.Object(
  {
    node: Type.String({ description: 'Empty: the automation itself.' }),
    at: Instant,
    outcome: oneOf(TRACE_OUTCOMES),
    reason: Type.Optional(Type.String({ description: 'As in the trace of a run.' })),
    channel: Type.Optional(Type.String({ description: 'Of `sent`.' })),
    unreachable: Type.Optional(
      Type.String({ description: 'Of `sent`: why the message would not reach the person now.' }),
    ),
  },
  { title: 'RehearsedLine' },
);

const UNREACHABLE = { no_address: 3 };

export const readRehearsalEndpoint = endpoint({
  name: 'readRehearsal',
  method: 'GET',
  access: 'reader',
  path: 'rehearsals/:rehearsalId',
  parameters: { rehearsalId: Uuid },
  summary: 'Read a rehearsal',
  description: `While it runs, the numbers are those so far. It is kept for ${LIMITS.rehearsalDaysMax} days.`,
  answer: {
    status: 200,
    description: 'It.',
    schema: Type.Object(
      {
        rehearsalId: Uuid,
        slug: Slug,
        status: oneOf(REHEARSAL_STATUSES),
        from: Instant,
        to: Instant,
        definition: described<AutomationDefinition>({ type: 'object' }, 'What was rehearsed.'),
        createdAt: Instant,
        createdBy: Type.String({ description: 'The key, token or member that asked for it.' }),
        endedAt: NullableInstant,
        asOf: described<number | null>(
          NullableInstant,
          'Profiles, segments and settings are of this instant; null: it has not begun.',
        ),
        people: Type.Object(
          { rehearsed: Count, of: Count },
          {
            description:
              'Registered people who did what the trigger names; of a schedule or a date, all.',
          },
        ),
        events: described<number>(Count, 'Stored events that were read.'),
        cut: described<'events' | 'time' | null>(
          { type: ['string', 'null'], enum: [...REHEARSAL_CUTS, null] },
          'Why not all people were rehearsed; those who were are a random sample. Null: all were.',
        ),
        assumptions: Type.Array(oneOf(REHEARSAL_ASSUMPTIONS), {
          description: 'What it takes for granted: see the reference.',
        }),
        entered: described<number>(Count, 'The sum of `active`, `completed` and `exited`.'),
        active: described<number>(Count, 'On their way at `to`.'),
        completed: Count,
        exited: Count,
        goals: Count,
        refused: byReason('Triggers that entered no one, by reason.'),
        nodes: Type.Array(
          Type.Object({
            id: Type.String(),
            entered: Count,
            waiting: Count,
            passed: Count,
            branches: Type.Optional(byReason('How many took which branch.')),
            sent: Type.Optional(described<number>(Count, 'Messages.')),
            skipped: Type.Optional(byReason('For whom there was no message.')),
            unreachable: Type.Optional(
              byReason('Of the messages, those that would not reach their person.'),
            ),
          }),
          { description: 'In the order of the definition.' },
        ),
        days: Type.Array(
          Type.Object({
            day: Type.String({ description: '`YYYY-MM-DD`' }),
            entered: Count,
            completed: Count,
            exited: Count,
            goals: Count,
            sent: Count,
          }),
          { description: 'Days of UTC on which something happened, the first first.' },
        ),
        channels: Type.Array(
          Type.Object({
            channel: Type.String(),
            sent: Count,
            unreachable: byReason('Of them, those that would not reach their person.'),
          }),
        ),
        unreachable: byReason('Of all messages, those that would not reach their person.'),
        skipped: byReason('For whom there was no message.'),
        traces: Type.Array(
          Type.Object(
            {
              customUserId: described<string>({ type: 'string' }, 'The person.'),
              key: Type.String({ description: 'The value of `entry.key`; empty without it.' }),
              trigger: Type.Object({
                eventId: Type.Union([Type.String(), Type.Null()], {
                  description: 'The id of the message that it came with; null: an instant.',
                }),
                at: Type.Unsafe<number | bigint>({
                  type: 'integer',
                  format: 'int64',
                  description: 'Its own time.',
                }),
              }),
              enteredAt: Instant,
              status: oneOf(['active', 'completed', 'exited'] as const),
              lines: Type.Array(Line),
            },
            { title: 'RehearsedRun' },
          ),
          { maxItems: LIMITS.rehearsalTracesMax, description: 'Of people at random.' },
        ),
        error: Type.Optional(oneOf(REHEARSAL_ERRORS)),
      },
      { title: 'Rehearsal' },
    ),
    example: {
      rehearsalId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
      slug: 'cart',
      status: 'completed',
      from: 1_792_578_000_000,
      to: 1_795_256_400_000,
      definition: {
        version: 1,
        name: 'Abandoned cart',
        purpose: 'marketing',
        trigger: { event: 'cartd' },
        nodes: [
          { id: 'hour', delay: '1h' },
          { id: 'mail1', send: { channel: 'EMAIL', template: 'cart-1' } },
        ],
      },
      createdAt: 1_795_256_516_534,
      createdBy: 'member:ada@example.com',
      endedAt: 1_795_256_518_201,
      asOf: 1_795_256_517_002,
      people: { rehearsed: 14, of: 14 },
      events: 31,
      cut: null,
      assumptions: [...REHEARSAL_ASSUMPTIONS],
      entered: 14,
      active: 1,
      completed: 9,
      exited: 4,
      goals: 4,
      refused: { where: 6, re_entry: 2 },
      nodes: [
        { id: 'hour', entered: 14, waiting: 1, passed: 9 },
        {
          id: 'mail1',
          entered: 9,
          waiting: 0,
          passed: 9,
          sent: 9,
          unreachable: UNREACHABLE,
        },
      ],
      days: [{ day: '2026-10-24', entered: 14, completed: 9, exited: 4, goals: 4, sent: 9 }],
      channels: [{ channel: 'EMAIL', sent: 9, unreachable: UNREACHABLE }],
      unreachable: UNREACHABLE,
      skipped: {},
      traces: [
        {
          customUserId: 'ada',
          key: '',
          trigger: { eventId: 'm-17', at: 1_792_833_300_000 },
          enteredAt: 1_792_833_300_412,
          status: 'completed',
          lines: [
            { node: '', at: 1_792_833_300_412, outcome: 'entered' },
            { node: 'hour', at: 1_792_833_300_412, outcome: 'waiting' },
            { node: 'hour', at: 1_792_836_900_412, outcome: 'passed' },
            { node: 'mail1', at: 1_792_836_900_412, outcome: 'sent', channel: 'EMAIL' },
          ],
        },
      ],
    },
  },
  errorStatuses: [404],
});
