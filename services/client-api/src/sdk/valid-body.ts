import type { FieldError } from '@tidings/contracts';
import { AppError, compileValidator } from '@tidings/platform';

/**
 * Compiles the body schema of an endpoint, once, at module load. The returned function throws
 * AppError `validation_failed`.
 */
export function bodyReader<T>({ body: schema }: { readonly body: object }): (body: unknown) => T {
  const validate = compileValidator<T>(schema);
  return (body) => {
    const result = validate(body);
    if (!result.ok) throw notValid(result.errors);
    return result.value;
  };
}

export function notValid(errors: readonly FieldError[]): AppError {
  return new AppError('validation_failed', 'The request is not valid.', { errors });
}
