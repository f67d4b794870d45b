import type { FieldError } from '@tidings/contracts/errors/error-codes';

/** Of an object with two kinds of keys, or none, further faults only follow from that. */
export function withoutConsequences(errors: readonly FieldError[]): FieldError[] {
  const places = errors
    .filter(({ code }) => code === 'exactly_one_of')
    .map(({ pointer }) => `${pointer}/`);
  return errors.filter(({ pointer }) => !places.some((place) => pointer.startsWith(place)));
}
