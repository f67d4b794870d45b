import type { FunnelBreakdown, FunnelStep } from '@tidings/contracts/analytics/funnels';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { Type, type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Count, INSTANT_MAX, oneOf, Slug } from '../schemas.ts';

const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });

const steps = described<readonly FunnelStep[]>(
  { type: 'array' },
  `${LIMITS.funnelStepsMin} to ${LIMITS.funnelStepsMax} events in their order, each as in a condition: \`{"event", "where"?}\`.`,
);
const window = described<string>(
  { type: 'string' },
  `The longest time from the first step to the last: a whole number and m, h, d or w, at most ${LIMITS.funnelWindowDaysMax}d.`,
);
const instant = (description: string) =>
  Type.Integer({ minimum: 0, maximum: INSTANT_MAX, description });
const range = {
  from: instant('The first step is not before this instant (milliseconds since the epoch).'),
  to: instant(
    `And it is before this one, at most ${LIMITS.analyticsRangeDaysMax} days later. Later steps may follow after it.`,
  ),
};
const warnings = Type.Array(
  Type.Object({ code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() }),
);

const Share = Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: 1 });
const Duration = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 });
const StepResult = Type.Object(
  {
    users: described<number>(Count, 'Persons who came to this step or further.'),
    fromStart: described<number | null>(
      Share,
      'Of those of the first step; null without any. Rounded to ten thousandths.',
    ),
    fromPrevious: described<number | null>(Share, 'Of those of the step before.'),
    dropped: Type.Optional(
      described<number>(Count, 'Came no further, and their time is over. Not of the last step.'),
    ),
    open: Type.Optional(
      described<number>(Count, 'Came no further yet, and may still. Not of the last step.'),
    ),
    medianMs: described<number | null>(
      Duration,
      'Milliseconds from the step before, as a person first reached this one: the least that half of them do not exceed.',
    ),
    p90Ms: described<number | null>(Duration, 'And the least that nine of ten do not exceed.'),
  },
  { title: 'FunnelStep' },
);
const StepResults = Type.Array(StepResult);

const STEPS_EXAMPLE = [
  { event: 'viewd' },
  {
    event: { kind: 'action', name: 'cart_filled' },
    where: [{ attribute: 'price', gt: 50 }],
  },
  { event: 'order' },
] satisfies readonly FunnelStep[];
const RANGE_EXAMPLE = { from: 1_792_664_400_000, to: 1_795_256_400_000 };
const RESULTS_EXAMPLE = [
  {
    users: 1204,
    fromStart: 1,
    fromPrevious: 1,
    dropped: 880,
    open: 14,
    medianMs: null,
    p90Ms: null,
  },
  {
    users: 310,
    fromStart: 0.2575,
    fromPrevious: 0.2575,
    dropped: 251,
    open: 9,
    medianMs: 5_400_000,
    p90Ms: 86_400_000,
  },
  { users: 50, fromStart: 0.0415, fromPrevious: 0.1613, medianMs: 900_000, p90Ms: 7_200_000 },
];
const answered = {
  asOf: described<number>({ type: 'integer', format: 'int64' }, 'The moment of the answer, in ms.'),
  tookMs: Count,
  store: oneOf(['postgres']),
};
const ANSWERED_EXAMPLE = {
  asOf: 1_795_256_516_534,
  tookMs: 900,
  store: 'postgres',
} as const;

const BUSY =
  '503 when the answer takes more than 15 s, waits for others for more than 30 s, or too many wait.';

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
      steps,
      window,
      ...range,
      segment: Type.Optional(described<string>(Slug, 'Of its members alone, as they are now.')),
      breakdown: Type.Optional(
        described<FunnelBreakdown>(
          { type: 'object' },
          'Parts by a value of the user as it is now: `{"field"}` of the profile, or `{"attribute"}`.',
        ),
      ),
      visitors: Type.Optional(
        Type.Boolean({ description: 'Also persons who were never registered.' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyExample: { steps: STEPS_EXAMPLE, window: '7d', ...RANGE_EXAMPLE },
  answer: {
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
        warnings,
        ...answered,
      },
      { title: 'FunnelResult' },
    ),
    example: { steps: RESULTS_EXAMPLE, warnings: [], ...ANSWERED_EXAMPLE },
  },
});
