import { submitMessagesEndpoint } from '@tidings/api-spec/endpoints/gateway';
import {
  LIMITS,
  LONG_MAX,
  LONG_MIN,
  MESSAGE_FIELDS,
  type FieldError,
  type IngestEnvelope,
} from '@tidings/contracts';
import { compileValidator } from '@tidings/platform';
import type { BatchOutline } from './batch-outline.ts';
import type { Longs } from './exact-longs.ts';
import { findHostileContent } from './hostile-content.ts';
import { findOversized } from './oversized.ts';

export const validateEnvelope = compileValidator<IngestEnvelope>(submitMessagesEndpoint.body);

/** What a body was parsed from, and what the parse has rounded. */
export type Source = {
  readonly text: string;
  readonly longs: ReadonlyMap<number, Longs>;
  outline(): BatchOutline;
};

/**
 * The faults of a body: one for each, but of the schema's at most 101, which is one more than are shown,
 * and of hostile content at most one of each message beyond those.
 */
export function findFaults(body: unknown, source: Source): FieldError[] {
  const { text, longs } = source;
  const oversized = findOversized(body, text, source.outline);
  const faults = findInnerFaults(without(oversized, body), text, longs);
  return oversized.size === 0 ? faults : [...faults, ...oversized.values()];
}

/** The body with a message that has no faults in the place of each that is too large to be looked into. */
function without(oversized: ReadonlyMap<number, FieldError>, body: unknown): unknown {
  if (oversized.size === 0) return body;
  const { messages } = body as { readonly messages: readonly unknown[] };
  return {
    ...(body as object),
    messages: messages.map((message, index) =>
      oversized.has(index) ? { ...FAULTLESS, type: typeOf(message) } : message,
    ),
  };
}

/** A message that needs its user as much as the one it stands for. */
const FAULTLESS = { id: 'm', time: 0, customName: 'n', revenue: 0, currency: 'EUR' } as const;

function typeOf(message: unknown): unknown {
  const { type } = fieldsOf(message);
  return typeof type === 'string' && Object.hasOwn(MESSAGE_FIELDS, type) ? type : 'businessEvent';
}

function findInnerFaults(
  body: unknown,
  text: string,
  longs: ReadonlyMap<number, Longs>,
): FieldError[] {
  const result = validateEnvelope(body);
  const mistyped = result.ok ? [] : result.errors;
  // Then there may be hundreds of thousands, and they are not looked at one by one.
  if (mistyped.some((error) => error.pointer === '/messages')) return mistyped;
  const hostile = findHostileContent(body, text);
  const outOfRange = new Set(
    hostile.filter((error) => error.code === 'out_of_range').map((error) => error.pointer),
  );
  return [
    ...mistyped.filter((error) => !outOfRange.has(error.pointer)),
    ...hostile,
    ...findRuleFaults(body, longs),
  ];
}

/** What the schema cannot say: the identity rule, and the last unit of a Long. */
export function findRuleFaults(body: unknown, longs: ReadonlyMap<number, Longs>): FieldError[] {
  const { customUserId, serviceUserId, messages } = fieldsOf(body);
  if (!Array.isArray(messages)) return [];
  const errors: FieldError[] = [];
  const all = messages.map(fieldsOf);
  if (customUserId == null && serviceUserId == null && all.some(needsUser))
    errors.push(MISSING_USER);
  all.forEach(({ type, time, birthday }, index) => {
    const exact = longs.get(index);
    if (!isLong(exact?.time ?? time))
      errors.push({ pointer: `/messages/${index}/time`, code: 'out_of_range', expected: 'a Long' });
    if (type === 'user' && !isLong(exact?.birthday ?? birthday)) {
      errors.push({
        pointer: `/messages/${index}/birthday`,
        code: 'out_of_range',
        expected: 'a Long',
      });
    }
  });
  return errors;
}

/** The fault of a batch whose messages need a user and that names none. */
export const MISSING_USER: FieldError = {
  pointer: '/customUserId',
  code: 'required',
  expected: 'customUserId or serviceUserId',
};

/** Whether a message is of a type that happens to somebody. */
export function needsUser(message: unknown): boolean {
  const { type } = fieldsOf(message);
  return type === 'action' || type === 'revenue' || type === 'user';
}

/** The fields of an object; of anything else, none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

const MESSAGE_POINTER = /^\/messages\/(\d+)(?:\/|$)/;

/** The message that a fault lies in; undefined for one of the envelope. */
export function messageIndexAt(pointer: string): number | undefined {
  const index = MESSAGE_POINTER.exec(pointer)?.[1];
  return index === undefined ? undefined : Number(index);
}

/** A fault with its message, where it lies in one, and the message's own id, unless that is what is wrong. */
export function locatedFault(
  body: unknown,
  fault: FieldError,
  index = messageIndexAt(fault.pointer),
): FieldError {
  if (index === undefined) return fault;
  const { id } = fieldsOf((fieldsOf(body)['messages'] as readonly unknown[])[index]);
  const isShown =
    typeof id === 'string' &&
    id.length <= LIMITS.messageIdCharsMax &&
    fault.pointer !== `/messages/${index}/id`;
  return isShown ? { ...fault, index, messageId: id } : { ...fault, index };
}

/** False for an integer that is no Long; that other things are none is the schema's to say. */
function isLong(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= LONG_MIN && value <= LONG_MAX;
  // A double at the limit came from an exponent form, beyond the last Long. An infinite one has its own fault.
  return (
    !Number.isInteger(value) ||
    (Number(value) >= Number(LONG_MIN) && Number(value) < Number(LONG_MAX))
  );
}
