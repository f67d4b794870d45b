import { IngestEnvelope, LIMITS, LONG_MAX, LONG_MIN, MESSAGE_FIELDS, type FieldError, type MessageType } from '@tidings/contracts';
import { compileValidator, needsExactParse } from '@tidings/platform';
import { findHostileContent } from './hostile-content.ts';
import { findOversized } from './oversized.ts';

export const validateEnvelope = compileValidator<IngestEnvelope>(IngestEnvelope);

/** All faults of a body, `text` parsed: one for each, but of the schema's at most 101, which is one more than are shown. */
export function findFaults(body: unknown, text: string): FieldError[] {
  const oversized = findOversized(body, text);
  const faults = findInnerFaults(without(oversized, body), without(oversized, withDoubles(body, text)), text);
  return oversized.size === 0 ? faults : [...faults, ...oversized.values()];
}

/** The body with a message that has no faults in the place of each that is too large to be looked into. */
function without(oversized: ReadonlyMap<number, FieldError>, body: unknown): unknown {
  if (oversized.size === 0) return body;
  const { messages } = body as { readonly messages: readonly unknown[] };
  return { ...(body as object), messages: messages.map((message, index) => (oversized.has(index) ? { ...FAULTLESS, type: typeOf(message) } : message)) };
}

/** A message that needs its user as much as the one it stands for. */
const FAULTLESS = { id: 'm', time: 0, customName: 'n', revenue: 0, currency: 'EUR' } as const;

function typeOf(message: unknown): unknown {
  const { type } = fieldsOf(message);
  return typeof type === 'string' && Object.hasOwn(MESSAGE_FIELDS, type) ? type : 'businessEvent';
}

function findInnerFaults(body: unknown, doubles: unknown, text: string): FieldError[] {
  const result = validateEnvelope(doubles);
  const mistyped = result.ok ? [] : result.errors;
  // Then there may be hundreds of thousands, and they are not looked at one by one.
  if (mistyped.some((error) => error.pointer === '/messages')) return mistyped;
  const hostile = findHostileContent(body, text).filter((error) => error.code !== 'out_of_range' || isKnownNumber(body, error.pointer));
  const outOfRange = new Set(hostile.filter((error) => error.code === 'out_of_range').map((error) => error.pointer));
  return [...mistyped.filter((error) => !outOfRange.has(error.pointer)), ...hostile, ...findRuleFaults(body)];
}

/** The schema speaks of numbers: integers that needed the exact parse are shown to it as the doubles next to them. */
export function withDoubles(body: unknown, text: string): unknown {
  return needsExactParse(text) ? JSON.parse(text) : body;
}

/** What the schema cannot say: the identity rule, and the last unit of a Long. */
export function findRuleFaults(body: unknown): FieldError[] {
  const { customUserId, serviceUserId, messages } = fieldsOf(body);
  if (!Array.isArray(messages)) return [];
  const errors: FieldError[] = [];
  const all = messages.map(fieldsOf);
  if (customUserId == null && serviceUserId == null && all.some(needsUser)) errors.push(MISSING_USER);
  all.forEach(({ type, time, birthday }, index) => {
    if (!isLong(time)) errors.push({ pointer: `/messages/${index}/time`, code: 'out_of_range', expected: 'a Long' });
    if (type === 'user' && !isLong(birthday)) {
      errors.push({ pointer: `/messages/${index}/birthday`, code: 'out_of_range', expected: 'a Long' });
    }
  });
  return errors;
}

/** The fault of a batch whose messages need a user and that names none. */
export const MISSING_USER: FieldError = { pointer: '/customUserId', code: 'required', expected: 'customUserId or serviceUserId' };

/** Whether a message is of a type that happens to somebody. */
export function needsUser(message: unknown): boolean {
  const { type } = fieldsOf(message);
  return type === 'action' || type === 'revenue' || type === 'user';
}

/** The fields of an object; of anything else, none. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

const MESSAGE_POINTER = /^\/messages\/(\d+)(?:\/([^/]*)|$)/;

/** The message that a fault lies in; undefined for one of the envelope. */
export function messageIndexAt(pointer: string): number | undefined {
  const index = MESSAGE_POINTER.exec(pointer)?.[1];
  return index === undefined ? undefined : Number(index);
}

/** A fault with its message, where it lies in one, and the message's own id, unless that is what is wrong. */
export function locatedFault(body: unknown, fault: FieldError, index = messageIndexAt(fault.pointer)): FieldError {
  if (index === undefined) return fault;
  const { id } = fieldsOf((fieldsOf(body)['messages'] as readonly unknown[])[index]);
  const isShown = typeof id === 'string' && id.length <= LIMITS.messageIdCharsMax && fault.pointer !== `/messages/${index}/id`;
  return isShown ? { ...fault, index, messageId: id } : { ...fault, index };
}

/**
 * A number that no double can hold matters where it would be stored: not in fields that nobody knows, and in a field
 * that holds no numbers it is the wrong type, as the schema has said.
 */
function isKnownNumber(body: unknown, pointer: string): boolean {
  const [, position = '', field = ''] = MESSAGE_POINTER.exec(pointer) ?? [];
  const { type } = fieldsOf((fieldsOf(body)['messages'] as readonly unknown[] | undefined)?.[Number(position)]);
  const isWithinField = pointer !== `/messages/${position}/${field}`;
  if (isWithinField) return typeof type === 'string' && Object.hasOwn(MESSAGE_FIELDS, type) && MESSAGE_FIELDS[type as MessageType].has(field);
  return field === 'time' || (field === 'birthday' && type === 'user') || (field === 'revenue' && type === 'revenue');
}

/** False for an integer that is no Long; that other things are none is the schema's to say. */
function isLong(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= LONG_MIN && value <= LONG_MAX;
  // A double at the limit came from an exponent form, beyond the last Long. An infinite one has its own fault.
  return !Number.isInteger(value) || (Number(value) >= Number(LONG_MIN) && Number(value) < Number(LONG_MAX));
}
