import { PAGE_PATIENCE, type BoundedWork, type InTime } from '../queries/search/in-time.ts';
import { answered } from './user-questions.ts';

/** A search for a page. @throws AppError `unavailable` if it takes or waits too long */
export const searchInTime = async <T>(
  inTime: InTime,
  applicationId: string,
  work: BoundedWork<T>,
): Promise<T> =>
  answered(
    (await inTime(applicationId, work, PAGE_PATIENCE)) ?? 'timed_out',
    'The search took too long. Retry, or ask for less.',
  );
