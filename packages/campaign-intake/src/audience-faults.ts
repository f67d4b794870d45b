import { FIELD_ERRORS_MAX, type FieldError } from '@tidings/contracts/errors/error-codes';
import { SLUG_PATTERN } from '@tidings/contracts/slug';
import { childPointer } from '@tidings/validation/child-pointer';
import { isObject, type Fields } from './known-message.ts';

const SLUG = new RegExp(SLUG_PATTERN, 'u');

/** Whether a push is for a segment. Null counts as absent. */
export const isForSegment = ({ segment }: Fields): boolean =>
  segment !== undefined && segment !== null;

/**
 * Faults of a push in whom it is for: exactly one of `recipients` and `segment`, and the form of
 * these fields. Conditions and slugs are checked where the application is known.
 */
export function audienceFaults(push: Fields): readonly FieldError[] {
  if (!isForSegment(push)) return [...missingRecipients(push), ...withoutSegment(push)];
  const { recipients, segment } = push;
  const both: FieldError[] =
    recipients === undefined || recipients === null
      ? []
      : [{ pointer: '', code: 'exactly_one_of', expected: EXACTLY_ONE }];
  return [...both, ...segmentFaults(segment)];
}

const EITHER = 'either recipients or segment';
const EXACTLY_ONE = 'exactly one of recipients and segment';

function missingRecipients({ recipients }: Fields): FieldError[] {
  return recipients === undefined
    ? [{ pointer: '/recipients', code: 'required', expected: EITHER }]
    : [];
}

/** Ignored, these fields would send to users whom the caller leaves out. */
function withoutSegment({ exclude, recheck }: Fields): FieldError[] {
  const fault = (pointer: string): FieldError => ({
    pointer,
    code: 'invalid_value',
    expected: 'a field beside segment',
  });
  return [
    ...(exclude === undefined || exclude === null ? [] : [fault('/exclude')]),
    ...(recheck === true ? [fault('/recheck')] : []),
  ];
}

function segmentFaults(segment: unknown): FieldError[] {
  const pointer = '/segment';
  if (typeof segment === 'string')
    return SLUG.test(segment)
      ? []
      : [{ pointer, code: 'invalid_value', expected: 'the slug of a segment' }];
  if (!isObject(segment)) return [{ pointer, code: 'wrong_type', expected: 'string or object' }];
  const unknown = Object.keys(segment)
    .filter((key) => key !== 'condition')
    .slice(0, FIELD_ERRORS_MAX)
    .map((key): FieldError => ({
      pointer: childPointer(pointer, key),
      code: 'invalid_value',
      expected: 'a known field',
    }));
  return Object.hasOwn(segment, 'condition')
    ? unknown
    : [{ pointer: `${pointer}/condition`, code: 'required', expected: 'object' }, ...unknown];
}
