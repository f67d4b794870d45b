import { Type } from 'typebox';
import type { Condition } from '../segments/conditions.ts';
import type { Warning } from '../errors/error-codes.ts';
import { SLUG_PATTERN } from '../slug.ts';

const SLUG = {
  type: 'string',
  pattern: SLUG_PATTERN,
  description: 'the slug of a segment',
};

/** Whom a push is for: a segment by its slug, or a condition of its own. */
export type PushSegment = string | { readonly condition: Condition };

/**
 * The fields of a push to a segment. Bounds and rules of a condition are checked where its
 * application is known.
 */
export const PUSH_AUDIENCE_FIELDS = {
  segment: Type.Optional(
    Type.Unsafe<PushSegment | null>({
      anyOf: [
        SLUG,
        {
          title: 'PushCondition',
          type: 'object',
          required: ['condition'],
          properties: { condition: { type: 'object', description: 'a condition' } },
          additionalProperties: false,
        },
        { type: 'null' },
      ],
      description:
        'Instead of `recipients`: a slug, or a condition. The users of whom it is true when the campaign begins get the message.',
    }),
  ),
  exclude: Type.Optional(
    Type.Unsafe<string | null>({
      ...SLUG,
      type: ['string', 'null'],
      description: 'the slug of a segment whose users are left out; only with `segment`',
    }),
  ),
  recheck: Type.Optional(
    Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description:
        'asks again before each message: users who left the segment get none; only with `segment`',
    }),
  ),
};

/** Whom a campaign to a segment is for, as it is stored. */
export type StoredAudience = {
  /** Null: the campaign has a condition of its own. */
  readonly segment: string | null;
  /** Of the segment; null until the recipients are read, and without a segment. */
  readonly version: number | null;
  /**
   * What was asked: the conditions of segments that it names stand in their places. Null until the
   * recipients of a segment are read; a condition of the campaign is there from the beginning.
   */
  readonly condition: Condition | null;
  readonly exclude: {
    readonly segment: string;
    readonly version: number | null;
    readonly condition: Condition | null;
  } | null;
  readonly recheck: boolean;
};

/** Whom a campaign to a segment was sent to, as its report shows it. */
export type CampaignAudience = StoredAudience & {
  /** When the recipients were read, in milliseconds; null until then. */
  readonly snapshotAt: number | null;
  readonly warnings: readonly Warning[];
};
