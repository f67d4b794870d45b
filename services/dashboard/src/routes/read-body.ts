import { AppError, type Validation } from '@tidings/platform';

/** The valid body, or 400 with every fault. @throws AppError `validation_failed` */
export function readValid<T>(validate: (value: unknown) => Validation<T>, body: unknown): T {
  const result = validate(body);
  if (!result.ok) throw new AppError('validation_failed', 'The body is not valid.', { errors: result.errors });
  return result.value;
}
