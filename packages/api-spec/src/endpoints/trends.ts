import type { TrendBreakdown, TrendSeries } from '@tidings/contracts/analytics/trends';
import { LIMITS } from '@tidings/contracts/limits';
import { Type, type Static } from 'typebox';
import {
  ANSWERED,
  ANSWERED_EXAMPLE,
  ASKED,
  BUSY,
  described,
  PEOPLE,
  RANGE_EXAMPLE,
} from '../analytics-answers.ts';
import { CHART_STEPS } from '../chart-steps.ts';
import { endpoint } from '../endpoint.ts';
import { Count, CountedFrom, Instant, oneOf, pageQuery } from '../schemas.ts';

const Points = Type.Array(Type.Object({ at: Instant, value: Type.Number() }), {
  description: 'Oldest first; those without events too.',
});
const Total = described<number>(
  { type: 'number' },
  'Of the whole range: of `users` each person once.',
);
const Part = Type.Object({ points: Points, total: Total });

const asked = {
  series: described<readonly TrendSeries[]>(
    { type: 'array' },
    `1 to ${LIMITS.trendSeriesMax}: \`{"event", "where"?, "measure"}\`, with an event as in a condition. \`measure\` is \`events\`, \`users\`, or \`{"sum": "EUR"}\` of revenue in a currency.`,
  ),
  ...ASKED,
  step: oneOf(CHART_STEPS),
  breakdown: Type.Optional(
    described<TrendBreakdown>(
      { type: 'object' },
      'Parts by `{"attribute"}` of the event, or by a value of the user as it is now: `{"field"}` of the profile, or `{"userAttribute"}`.',
    ),
  ),
};
const EXAMPLE = {
  series: [{ event: 'order', measure: { sum: 'EUR' } }],
  ...RANGE_EXAMPLE,
  step: 'week',
  timeZone: 'Asia/Kathmandu',
  breakdown: { field: 'country' },
} as const;
const POINTS_EXAMPLE = [{ at: 1_792_347_300_000, value: 12.5 }];
const question = { method: 'POST', access: 'reader', isQuestion: true } as const;

export const askTrendEndpoint = endpoint({
  name: 'askTrend',
  ...question,
  path: 'trends/result',
  summary: 'Count events, persons or revenue over time',
  description: `Points are hours, days, weeks (from Monday) or months of a time zone, at most ${LIMITS.trendPointsMax}; the first one contains \`from\`, and \`to\` is rounded up to a quarter of an hour. Nothing is stored. ${BUSY}`,
  body: Type.Object(asked, { additionalProperties: false }),
  bodyExample: EXAMPLE,
  answer: {
    status: 200,
    description: 'The exact numbers, of each series.',
    schema: Type.Object(
      {
        series: Type.Array(
          Type.Object({
            ...Part.properties,
            groups: Type.Optional(
              Type.Array(
                Type.Object({
                  value: described<unknown>({}, 'Null: of those without a value.'),
                  ...Part.properties,
                }),
                { description: 'With `breakdown`: the ten largest, and those without a value.' },
              ),
            ),
            othersGroups: Type.Optional(
              described<number>(Count, 'How many further values there are.'),
            ),
            others: Type.Optional(
              Type.Unsafe<Static<typeof Part> | null>({
                anyOf: [Part, { type: 'null' }],
                description: 'Of all those together; null without any.',
              }),
            ),
            outside: Type.Optional(
              described<number>(
                Count,
                'As in the chart of a definition. Of events and revenue without `where`, `segment` and `breakdown`, whose numbers are those of that chart; so are the next two.',
              ),
            ),
            byArrival: Type.Optional(Count),
            countedFrom: Type.Optional(CountedFrom),
          }),
        ),
        ...ANSWERED,
      },
      { title: 'TrendResult' },
    ),
    example: {
      series: [
        {
          points: POINTS_EXAMPLE,
          total: 12.5,
          groups: [{ value: 'DE', points: POINTS_EXAMPLE, total: 12.5 }],
          othersGroups: 0,
          others: null,
        },
      ],
      ...ANSWERED_EXAMPLE,
    },
  },
});

export const listTrendPeopleEndpoint = endpoint({
  name: 'listTrendPeople',
  ...question,
  path: 'trends/users',
  summary: 'List the people of a number of a trend by customUserId',
  description:
    'Registered users with an event that the number counts. Each page is asked anew, and has 503 as the result.',
  query: Type.Object(pageQuery),
  body: Type.Object(
    {
      ...asked,
      index: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LIMITS.trendSeriesMax - 1,
          description: 'Which series, from 0, the default.',
        }),
      ),
      at: Type.Optional(
        Type.Integer({ description: 'Of this point. Default: of the whole range.' }),
      ),
      group: Type.Optional(
        described<unknown>({}, 'Of the group with this value; null: of those without one.'),
      ),
      others: Type.Optional(
        Type.Boolean({ description: '`true`: of all values beyond the ten largest.' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: { ...EXAMPLE, at: 1_792_347_300_000, group: 'DE' },
  answer: PEOPLE,
});
