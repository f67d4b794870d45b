import type { FieldError } from '@tidings/contracts';
import { AppError, compileValidator } from '@tidings/platform';

/** Compiles the schema of an endpoint's body, once, at module load. What it makes throws AppError `validation_failed` for what does not fit. */
export function bodyReader<T>({ body: schema }: { readonly body: object }): (body: unknown) => T {
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
