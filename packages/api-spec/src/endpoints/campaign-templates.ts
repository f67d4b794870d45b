import type { PushMessage } from '@tidings/contracts/push/push';
import { RENDER_FAULTS, type NamedCampaignTemplate } from '@tidings/contracts/push/templates';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { AskedUserId, Count, NullableString, Uuid, oneOf } from '../schemas.ts';
import { IsHtmlMail } from '../rendered-message.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';

/** In the record of a campaign. */
export const CampaignTemplates = Type.Unsafe<readonly NamedCampaignTemplate[] | null>({
  type: ['array', 'null'],
  description:
    'The templates that its recipients are split between; `slug` null: its own message. Null: the message is sent as it is.',
  items: {
    type: 'object',
    required: ['slug', 'version', 'share'],
    properties: {
      slug: NullableString,
      version: { type: ['integer', 'null'] },
      share: { type: 'integer' },
    },
  },
});

/** The template of one recipient of a campaign. */
export const RecipientTemplate = Type.Unsafe<RecipientTemplate | null>({
  type: ['object', 'null'],
  description:
    'The template that the recipient has, as the shares split them; `slug` null: the message of the campaign itself. Null: the campaign has none.',
  required: ['slug', 'version'],
  properties: { slug: NullableString, version: { type: ['integer', 'null'] } },
});
export type RecipientTemplate = Pick<NamedCampaignTemplate, 'slug' | 'version'>;

const ofCampaign = {
  access: 'reader',
  parameters: { campaignId: Uuid },
  errorStatuses: [404],
} as const;
const asOf = Type.Unsafe<number>({
  type: 'integer',
  format: 'int64',
  description: 'The moment of the answer, in ms.',
});
const AS_OF_EXAMPLE = 1_795_256_516_534;

const COUNTS = {
  recipients: Count,
  successful: Count,
  delivered: Count,
  opened: Count,
  clicked: Count,
  failed: Type.Unsafe<number>({ ...Count, description: 'with those who are not reachable' }),
  notReachable: Type.Unsafe<number>({
    ...Count,
    description: 'of `failed`: no attempt was made',
  }),
};

const Fraction = { type: 'number', minimum: 0, maximum: 1 } as const;

/** Of opens and of clicks. */
const byMeasure = <T extends object>(
  title: string,
  properties: Readonly<Record<string, object>>,
  description: string,
) => {
  const schema = Type.Unsafe<T | null>({
    title,
    type: ['object', 'null'],
    required: Object.keys(properties),
    properties,
  });
  return Type.Object({ opened: schema, clicked: schema }, { description });
};

const Rates = byMeasure<{ rate: number; low: number; high: number }>(
  'RateWithInterval',
  { rate: Fraction, low: Fraction, high: Fraction },
  'Shares of the delivered, or of the sent where no delivery is reported, each with its 95 % confidence interval (Wilson). Null: the channel does not report it, or nothing was delivered yet.',
);
const Best = byMeasure<{ index: number; certainty: number; isBetter: boolean }>(
  'BestTemplate',
  {
    index: { ...Count, description: 'the place in `items` of the one with the highest rate' },
    certainty: {
      ...Fraction,
      description:
        'one less the probability that equal templates give a best one that is as far ahead of the others',
    },
    isBetter: {
      type: 'boolean',
      description: 'at least 0.95: it is better than the others together',
    },
  },
  'The best of the items. Of equal templates, however many, one in twenty comparisons names a better one. Null: nothing to compare.',
);

const Rest = Type.Union([Type.Object({ counts: Type.Object(COUNTS), rates: Rates }), Type.Null()], {
  description: 'Those who waited for the better template. Null: no one got it yet.',
});

export const compareTemplatesEndpoint = endpoint({
  name: 'compareTemplates',
  ...ofCampaign,
  method: 'GET',
  path: 'campaigns/:campaignId/templates',
  summary: 'Compare the templates that a campaign splits its recipients between',
  description:
    'Counts the deliveries that there are now: none after their retention. Empty for a campaign that is not personalised. 503 when the answer takes more than 15 s, or too many questions wait.',
  answer: {
    status: 200,
    description: 'The outcomes of each template.',
    schema: Type.Object({
      items: Type.Array(
        Type.Object(
          {
            slug: NullableString,
            version: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
            share: Count,
            counts: Type.Object(COUNTS),
            rates: Rates,
          },
          { title: 'ComparedTemplate' },
        ),
      ),
      best: Best,
      rest: Rest,
      asOf,
    }),
    example: {
      items: [
        {
          slug: 'welcome',
          version: 3,
          share: 70,
          counts: {
            recipients: 702,
            successful: 690,
            delivered: 690,
            opened: 310,
            clicked: 84,
            failed: 12,
            notReachable: 9,
          },
          rates: {
            opened: { rate: 0.4493, low: 0.4125, high: 0.4866 },
            clicked: { rate: 0.1217, low: 0.0994, high: 0.1483 },
          },
        },
        {
          slug: 'welcome-short',
          version: 1,
          share: 30,
          counts: {
            recipients: 298,
            successful: 293,
            delivered: 293,
            opened: 120,
            clicked: 18,
            failed: 5,
            notReachable: 4,
          },
          rates: {
            opened: { rate: 0.4096, low: 0.3548, high: 0.4667 },
            clicked: { rate: 0.0614, low: 0.0392, high: 0.095 },
          },
        },
      ],
      best: {
        opened: { index: 0, certainty: 0.7481, isBetter: false },
        clicked: { index: 0, certainty: 0.9966, isBetter: true },
      },
      rest: null,
      asOf: AS_OF_EXAMPLE,
    },
  },
});

export const renderCampaignEndpoint = endpoint({
  name: 'renderCampaign',
  ...ofCampaign,
  method: 'POST',
  isQuestion: true,
  path: 'campaigns/:campaignId/render',
  summary: 'Render the message of a campaign for a user, as it would be sent now',
  description: `With a profile that has changed since, it is not what was sent: see \`readSentMessage\`. Nothing is sent. ${USER_QUESTION_BUSY}`,
  body: Type.Object({ customUserId: AskedUserId }, { additionalProperties: false }),
  bodyExample: { customUserId: 'ada' },
  answer: {
    status: 200,
    description: 'The message, or why there is none.',
    schema: Type.Object({
      message: Type.Optional(Type.Unsafe<PushMessage>({ type: 'object' })),
      isHtml: IsHtmlMail,
      fault: Type.Optional(Type.Object({ code: oneOf(RENDER_FAULTS), detail: Type.String() })),
      template: RecipientTemplate,
      variant: Type.Unsafe<string | null>({
        ...NullableString,
        description: 'The variant of the template; null: its own message.',
      }),
      asOf,
    }),
    example: {
      message: { title: 'Hello Ada', body: '<p>Hello</p>' },
      isHtml: true,
      template: { slug: 'welcome', version: 3 },
      variant: null,
      asOf: AS_OF_EXAMPLE,
    },
  },
});
