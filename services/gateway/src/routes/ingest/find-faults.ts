import { submitMessagesEndpoint } from '@tidings/api-spec/endpoints/gateway';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_FIELDS, type IngestEnvelope } from '@tidings/contracts/ingest/ingest';
import { LIMITS, LONG_MAX, LONG_MIN } from '@tidings/contracts/limits';
import { createValidator } from '@tidings/validation';
import type { BatchOutline } from './batch-outline.ts';
import type { Longs } from './exact-longs.ts';
import { findHostileContent } from './hostile-content.ts';
import { findOversized } from './oversized.ts';

const validateEnvelope = createValidator<IngestEnvelope>(submitMessagesEndpoint.body, {
  isHot: true,
});

/** The text of a body, and the Longs that the parse rounded. */
export type Source = {
  readonly text: string;
  readonly longs: ReadonlyMap<number, Longs>;
  outline(): BatchOutline;
};

/**
 * All faults of a body. Schema faults are bounded at 101, one more than a response shows. Beyond
 * that, content faults are bounded at one per message.
 */
export function findFaults(body: unknown, source: Source): FieldError[] {
  const { text, longs } = source;
  const oversized = findOversized(body, text, source.outline);
  const faults = findInnerFaults(without(oversized, body), text, longs);
  return oversized.size === 0 ? faults : [...faults, ...oversized.values()];
}

/** The body with each oversized message replaced by a valid one. */
function without(oversized: ReadonlyMap<number, FieldError>, body: unknown): unknown {
  if (oversized.size === 0) return body;
  const { messages } = body as { readonly messages: readonly unknown[] };
  return {
    ...(body as object),
    messages: messages.map((message, index) =>
      oversized.has(index) ? { ...FAULTLESS, type: readType(message) } : message,
    ),
  };
}

/**
 * A valid message. It gets the type of the message that it replaces, so both need a user or neither
 * does.
 */
const FAULTLESS = { id: 'm', time: 0, customName: 'n', revenue: 0, currency: 'EUR' } as const;

function readType(message: unknown): unknown {
  const { type } = asFields(message);
  return typeof type === 'string' && Object.hasOwn(MESSAGE_FIELDS, type) ? type : 'businessEvent';
}

function findInnerFaults(
  body: unknown,
  text: string,
  longs: ReadonlyMap<number, Longs>,
): FieldError[] {
  const result = validateEnvelope(body);
  const mistyped = result.ok ? [] : result.errors;
  // There may be hundreds of thousands of messages then; do not check each.
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

/** Rules that the schema cannot express: the identity rule and the exact bounds of a Long. */
function findRuleFaults(body: unknown, longs: ReadonlyMap<number, Longs>): FieldError[] {
  const { customUserId, serviceUserId, messages } = asFields(body);
  if (!Array.isArray(messages)) return [];
  const errors: FieldError[] = [];
  const all = messages.map(asFields);
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

/** A batch without a user whose messages need one. */
export const MISSING_USER: FieldError = {
  pointer: '/customUserId',
  code: 'required',
  expected: 'customUserId or serviceUserId',
};

/** Whether the message type belongs to a user. */
export function needsUser(message: unknown): boolean {
  const { type } = asFields(message);
  return type === 'action' || type === 'revenue' || type === 'user';
}

/** The fields of an object; no fields for any other value. */
export function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

const MESSAGE_POINTER = /^\/messages\/(\d+)(?:\/|$)/;

/** The index of the message that contains the fault; undefined for the envelope. */
export function messageIndexAt(pointer: string): number | undefined {
  const index = MESSAGE_POINTER.exec(pointer)?.[1];
  return index === undefined ? undefined : Number(index);
}

/**
 * Adds the message index and the message id to a fault. The id is omitted if it is itself the
 * fault.
 */
export function locatedFault(
  body: unknown,
  fault: FieldError,
  index = messageIndexAt(fault.pointer),
): FieldError {
  if (index === undefined) return fault;
  const { id } = asFields((asFields(body)['messages'] as readonly unknown[])[index]);
  const isShown =
    typeof id === 'string' &&
    id.length <= LIMITS.messageIdCharsMax &&
    fault.pointer !== `/messages/${index}/id`;
  return isShown ? { ...fault, index, messageId: id } : { ...fault, index };
}

/** False for an integer out of the range of a Long. The schema reports other types. */
function isLong(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= LONG_MIN && value <= LONG_MAX;
  // A double equal to the limit was written in exponent form and is above the last Long. An
  // infinite value has its own fault.
  return (
    !Number.isInteger(value) ||
    (Number(value) >= Number(LONG_MIN) && Number(value) < Number(LONG_MAX))
  );
}
