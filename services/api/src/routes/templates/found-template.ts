import { AppError } from '@tidings/platform';

/** @throws AppError `not_found` */
export function found<T>(template: T | null): T {
  if (template === null)
    throw new AppError('not_found', 'This application has no such template or version.');
  return template;
}
