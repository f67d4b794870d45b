import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';

export const segmentOf = (res: Response, params: Readonly<Record<string, string>>) => ({
  applicationId: getApplicationId(res),
  slug: String(params['slug']),
});

/** @throws AppError `not_found` */
export function found<T>(segment: T | null): T {
  if (segment === null)
    throw new AppError('not_found', 'This application has no segment with this slug.');
  return segment;
}
