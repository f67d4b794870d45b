import type { CampaignSchedule } from '@tidings/contracts/push/push-schedule';
import { Type } from 'typebox';
import { Count, Instant, NullableString } from './schemas.ts';

/** When a campaign begins. */
export const Schedule = Type.Unsafe<CampaignSchedule | null>({
  description: 'Null for a campaign that began when it was accepted.',
  anyOf: [
    Type.Object(
      {
        sendAt: Type.Unsafe<number>({
          ...Instant,
          description: 'When it begins; of a local time in the first time zone.',
        }),
        sendAtLocal: Type.Unsafe<string | null>({
          ...NullableString,
          description: 'The time in the time zone of each recipient; null: all at `sendAt`.',
        }),
        localTimePassed: Type.Unsafe<number>({
          ...Count,
          description: 'Recipients whose local time had passed: they got it at once.',
        }),
      },
      { title: 'CampaignSchedule' },
    ),
    { type: 'null' },
  ],
});
