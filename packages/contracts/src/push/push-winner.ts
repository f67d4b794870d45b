import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';

/** What may decide which template of a split is better. */
export const WINNER_MEASURES = ['opened', 'clicked'] as const;
export type WinnerMeasure = (typeof WINNER_MEASURES)[number];

/** A push that sends its templates to a part of the recipients first, and then the better one. */
export type PushWinner = {
  /** The part of the recipients that gets the templates by their shares. */
  readonly percent: number;
  readonly by: WinnerMeasure;
  /** From the beginning of the campaign, as `4h`. */
  readonly after: string;
};

/** As a campaign keeps it. */
export type StoredWinner = PushWinner & { readonly afterMs: number };

/** What is known of the rest of the recipients. */
export type Trial = {
  readonly percent: number;
  /** The place of the template that the rest gets; null: none is chosen yet. */
  readonly choice: number | null;
};

/** How far the search of a campaign is. Times in milliseconds. */
export type CampaignWinner = PushWinner & {
  /** When it is decided; null until the campaign begins. */
  readonly decideAt: number | null;
  /** Recipients who wait for a template. */
  readonly waiting: number;
  readonly decision: {
    /** The place in `templates`; null: none was better. */
    readonly choice: number | null;
    /** Null: a person chose before the time. */
    readonly certainty: number | null;
    readonly isManual: boolean;
    readonly decidedAt: number;
  } | null;
};

/** The field of a push. */
export const PUSH_WINNER_FIELD = {
  winner: Type.Optional(
    Type.Unsafe<PushWinner | null>({
      type: ['object', 'null'],
      description:
        'of a split: its templates go to a part of the recipients first, and the better one to the rest',
      required: ['percent', 'by', 'after'],
      properties: {
        percent: {
          type: 'integer',
          minimum: LIMITS.winnerPercentMin,
          maximum: LIMITS.winnerPercentMax,
          description: 'how many of a hundred recipients get the templates of the split first',
        },
        by: { type: 'string', enum: [...WINNER_MEASURES] },
        after: {
          type: 'string',
          pattern: '^[1-9][0-9]{0,4}[mhd]$',
          description: 'a whole number and m, h or d, from 15m to 7d',
        },
      },
      additionalProperties: false,
    }),
  ),
} as const;

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds. Its form has been checked. */
export const winnerAfterMs = (after: string): number =>
  Number(after.slice(0, -1)) * (UNIT_MS[after.slice(-1)] ?? Number.NaN);

/**
 * The shares of the templates, and with a trial behind them that of the rest. In SQL the rest are
 * those whose draw is not below the percentage.
 */
export function drawnShares(
  shares: readonly number[],
  trial: Pick<Trial, 'percent'> | null,
): readonly number[] {
  if (trial === null) return shares;
  const total = shares.reduce((sum, share) => sum + share, 0);
  return [...shares.map((share) => share * trial.percent), total * (100 - trial.percent)];
}
