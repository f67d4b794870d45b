import type { FieldError } from '@tidings/contracts';
import { AppError, compileValidator } from '@tidings/platform';

/** Compiles a schema, once, at module load. What it makes throws AppError `validation_failed` for what does not fit. */
export function bodyReader<T>(schema: object): (body: unknown) => T {
  const validate = compileValidator<T>(schema);
  return (body) => {
    const result = validate(body);
    if (!result.ok) throw notValid(result.errors);
    return result.value;
  };
}

export function notValid(errors: readonly FieldError[]): AppError {
  return new AppError('validation_failed', 'The body is not valid.', { errors });
}
