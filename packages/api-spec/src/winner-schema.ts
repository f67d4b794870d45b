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
