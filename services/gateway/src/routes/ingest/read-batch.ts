import { FIELD_ERRORS_MAX, IngestEnvelope, LIMITS, LONG_MAX, LONG_MIN, type FieldError, type MessageType } from '@tidings/contracts';
import { AppError, compileValidator, needsExactParse, parseExactJson, stringifyExactJson, toWellFormed } from '@tidings/platform';
import { findHostileContent } from './hostile-content.ts';
import { isPlainContent } from './plain-content.ts';

/** A valid batch: the envelope, and the bytes that go to Kafka. */
export type Batch = { readonly envelope: IngestEnvelope; readonly bytes: Buffer; readonly kinds: ReadonlySet<MessageType> };

const validate = compileValidator<IngestEnvelope>(IngestEnvelope);

/** @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer */
export function readBatch(bytes: Buffer): Batch {
  const text = bytes.toString('utf8');
  return readPlainBatch(bytes, text) ?? readAnyBatch(bytes, text);
}

/** The way of most batches: plain content without a fault. Null for any other, which is then read with care. */
function readPlainBatch(bytes: Buffer, text: string): Batch | null {
  const body = parseWith(JSON.parse, text);
  if (!isPlainContent(body, text)) return null;
  const result = validate(body);
  return result.ok && ruleErrors(body).length === 0 ? { envelope: result.value, bytes, kinds: kindsOf(result.value) } : null;
}

function readAnyBatch(bytes: Buffer, text: string): Batch {
  const body = parseWith(parseExactJson, text);
  const errors = faultsOf(body, text);
  if (errors.length > 0) {
    throw new AppError('validation_failed', 'The batch is not valid; nothing was stored.', {
      errors: errors.slice(0, FIELD_ERRORS_MAX + 1).map((error) => withMessage(body, error)),
    });
  }
  const envelope = toWellFormed(body, text) as IngestEnvelope;
  return {
    envelope,
    bytes: envelope === body ? bytes : Buffer.from(stringifyExactJson(envelope)),
    kinds: kindsOf(envelope),
  };
}

function kindsOf({ messages }: IngestEnvelope): ReadonlySet<MessageType> {
  return new Set(messages.map((message) => message.type));
}

function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // Valid, but nested deeper than the exact parse can walk; what is too deep is refused with its pointer.
    if (error instanceof RangeError) return JSON.parse(text);
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

function faultsOf(body: unknown, text: string): FieldError[] {
  // The schema speaks of numbers: integers that needed the exact parse are shown to it as the doubles next to them.
  const result = validate(needsExactParse(text) ? JSON.parse(text) : body);
  const mistyped = result.ok ? [] : result.errors;
  // Then there may be hundreds of thousands, and they are not looked at one by one.
  if (mistyped.some((error) => error.pointer === '/messages')) return mistyped;
  const hostile = findHostileContent(body, text);
  const outOfRange = new Set(hostile.filter((error) => error.code === 'out_of_range').map((error) => error.pointer));
  return [...mistyped.filter((error) => !outOfRange.has(error.pointer)), ...hostile, ...ruleErrors(body)];
}

/** What the schema cannot say: the identity rule, and the last unit of a Long. */
function ruleErrors(body: unknown): FieldError[] {
  const { customUserId, serviceUserId, messages } = fieldsOf(body);
  if (!Array.isArray(messages)) return [];
  const errors: FieldError[] = [];
  const all = messages.map(fieldsOf);
  const needsUser = all.some(({ type }) => type === 'action' || type === 'revenue' || type === 'user');
  if (needsUser && customUserId == null && serviceUserId == null) {
    errors.push({ pointer: '/customUserId', code: 'required', expected: 'customUserId or serviceUserId' });
  }
  all.forEach(({ type, time, birthday }, index) => {
    if (!isLong(time)) errors.push({ pointer: `/messages/${index}/time`, code: 'out_of_range', expected: 'a Long' });
    if (type === 'user' && !isLong(birthday)) {
      errors.push({ pointer: `/messages/${index}/birthday`, code: 'out_of_range', expected: 'a Long' });
    }
  });
  return errors;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** False for an integer that is no Long; that other things are none is the schema's to say. */
function isLong(value: unknown): boolean {
  if (typeof value === 'bigint') return value >= LONG_MIN && value <= LONG_MAX;
  // A double at the limit came from an exponent form, beyond the last Long. An infinite one has its own fault.
  return !Number.isInteger(value) || (Number(value) >= Number(LONG_MIN) && Number(value) < Number(LONG_MAX));
}

const MESSAGE_POINTER = /^\/messages\/(\d+)(\/|$)/;

function withMessage(body: unknown, error: FieldError): FieldError {
  const position = MESSAGE_POINTER.exec(error.pointer)?.[1];
  if (position === undefined) return error;
  const index = Number(position);
  const { id } = fieldsOf((body as { readonly messages: readonly unknown[] }).messages[index]);
  const isShown = typeof id === 'string' && id.length <= LIMITS.messageIdCharsMax && error.pointer !== `/messages/${index}/id`;
  return isShown ? { ...error, index, messageId: id } : { ...error, index };
}
