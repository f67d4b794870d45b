import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';

/** A reader of the bodies of an endpoint. It throws AppError `validation_failed`. */
export function bodyReader<T>({ body: schema }: { readonly body: object }): (body: unknown) => T {
  const validate = createValidator<T>(schema, { isHot: true });
  return (body) => {
    const result = validate(body);
    if (!result.ok) throw notValid(result.errors);
    return result.value;
  };
}

export function notValid(errors: readonly FieldError[]): AppError {
  return new AppError('validation_failed', 'The request is not valid.', { errors });
}
