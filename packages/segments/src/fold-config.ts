import { integer } from '@tidings/platform';

/** What a question holds for its persons by default. */
export const FOLD_MEMORY_MIB = 160;

/** Of services that ask about all users of an application. */
export const foldConfig = {
  analyticsMemoryMiB: integer(
    'ANALYTICS_MEMORY_MIB',
    'Memory for the persons of a question about funnels, trends or retention, in MiB. One with more persons is answered with 400, a campaign with more fails, and an instant of a schedule is left out after an hour. In api there are SEGMENT_CONCURRENCY such questions at a time in each process, in campaigns and scheduler one.',
    { default: FOLD_MEMORY_MIB, min: 16, max: 16_384 },
  ),
};
