import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { ANSWER, ANSWER_EXAMPLE, described, WARNINGS } from '../analytics-answers.ts';
import {
  asked,
  ASKED_EXAMPLE,
  ofFunnel,
  rangeQuery,
  RESULTS_EXAMPLE,
  StepResult,
} from '../funnel-schemas.ts';
import { AskedUserId, Count, CustomUserId, Instant, oneOf, Slug } from '../schemas.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';

const eventId = Type.String({ description: 'The id of the message that was the event.' });
const Event = { at: Instant, eventId };

const Missing = Type.Object(
  {
    lookedUntil: described<number>(
      Instant,
      'The last instant at which the next step would have counted, or will: of the latest entry that came so far.',
    ),
    nextAfterwards: Type.Optional(
      Type.Object(Event, { description: 'The first event of this step that came too late.' }),
    ),
    rejected: Type.Array(
      Type.Object({
        eventId,
        pointer: Type.String({ description: 'To the comparison, in the funnel.' }),
      }),
      {
        description:
          'Events that would have been this step, but for a comparison: the first, at most ten.',
      },
    ),
  },
  { title: 'FunnelMissingStep' },
);
type StepExplanation =
  | { readonly at: number; readonly eventId: string }
  | {
      readonly missing: {
        readonly lookedUntil: number;
        readonly nextAfterwards?: { readonly at: number; readonly eventId: string };
        readonly rejected: readonly { readonly eventId: string; readonly pointer: string }[];
      };
    };

const explained = {
  status: 200,
  description: 'The steps of the person.',
  schema: Type.Object(
    {
      reached: described<number>(Count, 'Steps that the person came through; 0 for none.'),
      state: described<'not_entered' | 'dropped' | 'open' | 'converted'>(
        oneOf(['not_entered', 'dropped', 'open', 'converted']),
        'Whether the person entered, and came to the end, may still, or not any more.',
      ),
      steps: Type.Array(
        Type.Unsafe<StepExplanation>({
          anyOf: [
            Type.Object(Event, { title: 'FunnelDoneStep' }),
            Type.Object({ missing: Missing }, { title: 'FunnelUndoneStep' }),
          ],
        }),
        {
          description:
            'The chain by which the person first came so far. Then, unless all is done, what is missing.',
        },
      ),
      asOf: described<number>({ type: 'integer', format: 'int64' }, 'The moment of the answer.'),
    },
    { title: 'FunnelExplanation' },
  ),
  example: {
    reached: 2,
    state: 'dropped',
    steps: [
      { at: 1_795_100_000_000, eventId: 'm1' },
      { at: 1_795_105_400_000, eventId: 'm2' },
      {
        missing: {
          lookedUntil: 1_795_186_400_000,
          nextAfterwards: { at: 1_795_200_000_000, eventId: 'm9' },
          rejected: [],
        },
      },
    ],
    asOf: 1_795_256_516_534,
  },
} as const;

const { segment: _segment, ...askedOfOne } = asked;

export const explainFunnelEndpoint = endpoint({
  name: 'explainFunnel',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  path: 'funnels/explain',
  summary: 'Explain how far a user came in some steps, and why no further',
  description: `Nothing is stored. ${USER_QUESTION_BUSY}`,
  body: Type.Object({ ...askedOfOne, customUserId: AskedUserId }, { additionalProperties: false }),
  bodyExample: { ...ASKED_EXAMPLE, customUserId: 'ada' },
  answer: explained,
  errorStatuses: [404],
});

export const explainNamedFunnelEndpoint = endpoint({
  name: 'explainNamedFunnel',
  ...ofFunnel,
  path: 'funnels/:slug/users/:customUserId',
  summary: 'Explain how far a user came in a funnel, and why no further',
  description: USER_QUESTION_BUSY,
  parameters: { slug: Slug, customUserId: CustomUserId },
  query: Type.Object(rangeQuery),
  answer: explained,
});

export const previewFunnelEndpoint = endpoint({
  name: 'previewFunnel',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  path: 'funnels/preview',
  summary: 'Estimate how far people come in some steps',
  description: `Asks some 2,000 registered users at random: with 95 % certainty \`users\` is between \`low\` and \`high\`. Fewer than 4,000 are all asked. Where they have many events, from as many of them as a second allows. Nothing is stored. ${USER_QUESTION_BUSY}`,
  body: Type.Object(asked, { additionalProperties: false }),
  bodyExample: ASKED_EXAMPLE,
  answer: {
    status: 200,
    description: 'The estimate.',
    schema: Type.Object(
      {
        steps: Type.Array(
          Type.Object(
            { ...StepResult.properties, low: Count, high: Count },
            { title: 'FunnelEstimatedStep' },
          ),
        ),
        isExact: Type.Boolean({ description: 'All users were asked.' }),
        warnings: WARNINGS,
        ...ANSWER,
      },
      { title: 'FunnelEstimate' },
    ),
    example: {
      steps: RESULTS_EXAMPLE.map((step) => ({
        ...step,
        low: Math.round(step.users * 0.9),
        high: Math.round(step.users * 1.1),
      })),
      isExact: false,
      warnings: [],
      ...ANSWER_EXAMPLE,
    },
  },
});
