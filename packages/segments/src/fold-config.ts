import { FOLD_MEMORY_MIB } from '@tidings/folds/memory';
import { integer } from '@tidings/platform';

/** Of services that ask about all users of an application. */
export const foldConfig = {
  analyticsMemoryMiB: integer(
    'ANALYTICS_MEMORY_MIB',
    'Memory for the persons of a question about a funnel, in MiB. One with more persons is answered with 400, and a campaign with more fails. In api there are SEGMENT_CONCURRENCY such questions at a time in each process, in campaigns one.',
    { default: FOLD_MEMORY_MIB, min: 16, max: 16_384 },
  ),
};
