import type { CampaignFailureReason } from '@tidings/contracts/push/campaigns';
import type { CampaignAudience } from '@tidings/contracts/push/push-audience';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { CAMPAIGN_FAILURE_REASONS } from '@tidings/contracts/push/campaigns';
import { Type } from 'typebox';
import { NullableInstant, NullableString, oneOf } from './schemas.ts';

const asked = {
  version: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The version of the segment; null until its users are read.',
  }),
  condition: Type.Unsafe<Condition | null>({
    type: ['object', 'null'],
    description:
      'What was asked, with the conditions of other segments in their places; of a segment null until its users are read.',
  }),
};

/** Why a campaign to a segment got no users. */
export const FailureReason = Type.Unsafe<CampaignFailureReason | null>({
  enum: [...CAMPAIGN_FAILURE_REASONS, null],
  description: 'Why it is `failed`; its event log says more. Null otherwise.',
});

/** Whom a campaign to a segment is for. */
export const Audience = Type.Unsafe<CampaignAudience | null>({
  description: 'Of a campaign to a segment; null for a list of recipients.',
  anyOf: [
    // The union has no title: openapi-python-client names no object within a component of this kind.
    Type.Object(
      {
        segment: Type.Unsafe<string | null>({
          ...NullableString,
          description: 'The slug; null for a condition of the campaign.',
        }),
        ...asked,
        exclude: Type.Unsafe<object | null>({
          anyOf: [Type.Object({ segment: Type.String(), ...asked }), { type: 'null' }],
          description: 'The segment whose users are left out.',
        }),
        recheck: Type.Boolean({
          description: 'Whether users are asked again before each message.',
        }),
        snapshotAt: Type.Unsafe<number | null>({
          ...NullableInstant,
          description: 'When the users were read; `recipients` has 0 until then.',
        }),
        warnings: Type.Array(
          Type.Object({
            code: oneOf(WARNING_CODES),
            pointer: Type.String(),
            detail: Type.String(),
          }),
        ),
      },
      { title: 'CampaignAudience' },
    ),
    { type: 'null' },
  ],
});
