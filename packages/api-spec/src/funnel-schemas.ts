import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { described, OF_SEGMENT, RANGE_EXAMPLE } from './analytics-answers.ts';
import { Count, INSTANT_MAX, instantQuery, Slug } from './schemas.ts';

export const steps = described<readonly FunnelStep[]>(
  { type: 'array' },
  `${LIMITS.funnelStepsMin} to ${LIMITS.funnelStepsMax} events in their order, each as in a condition: \`{"event", "where"?}\`.`,
);
export const window = described<string>(
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

const Share = Type.Unsafe<number | null>({ type: ['number', 'null'], minimum: 0, maximum: 1 });
const Duration = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0 });
export const StepResult = Type.Object(
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
export const StepResults = Type.Array(StepResult);

export const STEPS_EXAMPLE = [
  { event: 'viewd' },
  {
    event: { kind: 'action', name: 'cart_filled' },
    where: [{ attribute: 'price', gt: 50 }],
  },
  { event: 'order' },
] satisfies readonly FunnelStep[];
export const RESULTS_EXAMPLE = [
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
export const asked = {
  steps,
  window,
  ...range,
  segment: OF_SEGMENT,
};
export const ASKED_EXAMPLE = { steps: STEPS_EXAMPLE, window: '7d', ...RANGE_EXAMPLE };
export const reading = { method: 'GET', access: 'reader' } as const;
export const ofFunnel = { ...reading, parameters: { slug: Slug }, errorStatuses: [404] } as const;
export const rangeQuery = {
  from: instantQuery('As of a question. Default: 30 days before `to`.'),
  to: instantQuery('As of a question. Default: now.'),
};
