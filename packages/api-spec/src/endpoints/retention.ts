import { RETENTION_PERIODS } from '@tidings/contracts/analytics/trends';
import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import {
  ANSWERED,
  ANSWERED_EXAMPLE,
  ASKED,
  BUSY,
  described,
  namedEvent,
  PEOPLE,
  RANGE_EXAMPLE,
} from '../analytics-answers.ts';
import { endpoint } from '../endpoint.ts';
import { Count, Instant, oneOf, pageQuery } from '../schemas.ts';

const asked = {
  start: namedEvent('`{"event", "where"?}`, with an event as in a condition.'),
  return: Type.Optional(described<FunnelStep>({ type: 'object' }, 'The same. Default: `start`.')),
  ...ASKED,
  period: oneOf(RETENTION_PERIODS),
  periods: Type.Integer({
    minimum: 1,
    maximum: LIMITS.retentionPeriodsMax,
    description: 'Cells of a cohort. The first is its own period.',
  }),
  first: Type.Optional(
    described<'range' | 'ever'>(
      oneOf(['range', 'ever']),
      '`range` (default): the first start in the range makes the cohort. `ever`: only of persons whose first stored start lies there.',
    ),
  ),
  unbounded: Type.Optional(
    Type.Boolean({ description: '`true`: returned in that period or any later one.' }),
  ),
};
const EXAMPLE = {
  start: { event: 'signd' },
  return: { event: 'login' },
  ...RANGE_EXAMPLE,
  period: 'week',
  periods: 3,
} as const;
const question = { method: 'POST', access: 'reader', isQuestion: true } as const;

export const askRetentionEndpoint = endpoint({
  name: 'askRetention',
  ...question,
  path: 'retention/result',
  summary: 'Count who comes back in the periods after a first event',
  description: `A person belongs to one cohort: the period of the first \`start\` in the range. Nothing is stored. ${BUSY}`,
  body: Type.Object(asked, { additionalProperties: false }),
  bodyExample: EXAMPLE,
  answer: {
    status: 200,
    description: 'The exact numbers.',
    schema: Type.Object(
      {
        cohorts: Type.Array(
          Type.Object({
            at: described<number>(Instant, 'Where the period begins, in ms.'),
            users: Count,
            returned: Type.Array(
              Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 }),
              {
                description:
                  'Cell k: did `return` in the k-th period after, later than the start. Null: it has not begun.',
              },
            ),
            isPartial: Type.Array(Type.Boolean(), {
              description: 'Of each cell: its period has begun and is not over.',
            }),
          }),
        ),
        ...ANSWERED,
      },
      { title: 'RetentionResult' },
    ),
    example: {
      cohorts: [
        {
          at: 1_794_766_500_000,
          users: 120,
          returned: [80, 60, null],
          isPartial: [false, true, false],
        },
      ],
      ...ANSWERED_EXAMPLE,
      partialFrom: 1_795_371_300_000,
    },
  },
});

export const listRetentionPeopleEndpoint = endpoint({
  name: 'listRetentionPeople',
  ...question,
  path: 'retention/users',
  summary: 'List the people of a number of retention by customUserId',
  description: 'As many as the number says. Each page is asked anew, and has 503 as the result.',
  query: Type.Object(pageQuery),
  body: Type.Object(
    {
      ...asked,
      cohort: Type.Integer({ description: 'Where the period of the cohort begins, in ms.' }),
      cell: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LIMITS.retentionPeriodsMax - 1,
          description: 'Of these who returned in this cell, from 0. Default: all of the cohort.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: { ...EXAMPLE, cohort: 1_794_766_500_000, cell: 1 },
  answer: PEOPLE,
});
