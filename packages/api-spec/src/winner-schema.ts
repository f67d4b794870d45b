import { SPLIT_MEASURES } from '@tidings/contracts/automations/definition';
import type { SplitReport } from '@tidings/contracts/automations/split-report';
import type { CampaignWinner } from '@tidings/contracts/push/push-winner';
import { WINNER_MEASURES } from '@tidings/contracts/push/push-winner';
import { Type } from 'typebox';
import { Count, Instant, NullableInstant, oneOf } from './schemas.ts';

/** In the record of a campaign. */
export const Winner = Type.Unsafe<CampaignWinner | null>({
  title: 'CampaignWinner',
  type: ['object', 'null'],
  description:
    'Of a campaign that sends its templates to a part of the recipients first, and the better one to the rest. Null: all get theirs at once.',
  required: ['percent', 'by', 'after', 'decideAt', 'waiting', 'decision'],
  properties: {
    percent: Count,
    by: oneOf(WINNER_MEASURES),
    after: Type.String(),
    decideAt: { ...NullableInstant, description: 'null until the campaign begins' },
    waiting: { ...Count, description: 'recipients who wait for a template' },
    decision: {
      title: 'CampaignDecision',
      type: ['object', 'null'],
      description: 'null until then',
      required: ['choice', 'certainty', 'isManual', 'decidedAt'],
      properties: {
        choice: {
          type: ['integer', 'null'],
          description: 'the place in `templates`; null: none was better, and the rest waits',
        },
        certainty: {
          type: ['number', 'null'],
          description: 'of the comparison at that time; null: there was none',
        },
        isManual: { type: 'boolean', description: 'a person or a caller chose it' },
        decidedAt: Instant,
      },
    },
  },
});

/** Of a split of an automation. */
export const SplitWinner = Type.Unsafe<SplitReport>({
  type: 'object',
  description: 'Of a split that looks for its better branch, as people enter it now.',
  required: ['by', 'after', 'minimum', 'decideAt', 'figures', 'decision'],
  properties: {
    by: oneOf(SPLIT_MEASURES),
    after: Type.String(),
    minimum: Count,
    decideAt: {
      ...NullableInstant,
      description: 'When it is decided at the earliest; null until someone enters.',
    },
    figures: {
      type: 'array',
      description:
        'Of each branch, of the runs that drew it: what was decided by, or what is known now.',
      items: {
        type: 'object',
        required: ['runs', 'hits'],
        properties: {
          runs: Count,
          hits: {
            type: ['integer', 'null'],
            minimum: 0,
            description: 'Null: too many to count before the decision.',
          },
        },
      },
    },
    decision: {
      type: ['object', 'null'],
      required: ['choice', 'certainty', 'decidedAt'],
      properties: {
        choice: {
          type: ['integer', 'null'],
          minimum: 0,
          description: 'The place of the better branch; null: none was.',
        },
        certainty: { type: 'number', minimum: 0, maximum: 1 },
        decidedAt: Instant,
      },
    },
  },
});
