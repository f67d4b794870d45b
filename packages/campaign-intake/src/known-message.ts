import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { WARNINGS_MAX, type Warning } from '@tidings/contracts/errors/error-codes';
import {
  PUSH_FIELDS,
  PUSH_ITEM_FIELDS,
  PUSH_MESSAGE_FIELDS,
  type PushMessage,
} from '@tidings/contracts/push/push';
import { fieldAt, parseExactJson } from '@tidings/platform';
import { childPointer } from '@tidings/validation/child-pointer';

export type Fields = Readonly<Record<string, unknown>>;

const ALL_MESSAGE_FIELDS: ReadonlySet<string> = new Set(
  Object.values(PUSH_MESSAGE_FIELDS).flatMap((fields) => [...fields]),
);
/** The fields common to every channel. */
const COMMON_FIELDS: ReadonlySet<string> = new Set(['body']);

/**
 * The part of a body that is validated: the known fields of a push, and the message fields of its
 * channel. Null counts as absent. All other fields have no effect.
 */
export function knownPart(body: unknown): unknown {
  if (!isObject(body)) return body;
  const push = pick(body, PUSH_FIELDS);
  const { channel, message } = push;
  if (!isObject(message)) return push;
  const known = pick(message, isChannel(channel) ? PUSH_MESSAGE_FIELDS[channel] : COMMON_FIELDS);
  return {
    ...push,
    message: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

/** The message of a valid push. Objects in its lists are reduced to their known fields. */
export function knownMessage(message: Fields): PushMessage {
  const fields = Object.entries(message).map(([field, value]): [string, unknown] => {
    const itemFields = PUSH_ITEM_FIELDS[field];
    return [
      field,
      itemFields === undefined
        ? value
        : (value as readonly Fields[]).map((item) => pick(item, itemFields)),
    ];
  });
  return Object.fromEntries(fields) as PushMessage;
}

/** Warnings for the ignored fields of a valid push: fields of other channels and unknown fields. */
export function ignoredFields(channel: Channel, push: Fields): Warning[] {
  const warnings: Warning[] = [];
  const message = isObject(push['message']) ? push['message'] : {};
  for (const pointer of unknownFields(push, '', PUSH_FIELDS)) {
    if (warnings.push(unknown(pointer)) === WARNINGS_MAX) return warnings;
  }
  for (const pointer of ignoredOfMessage(channel, message)) {
    if (warnings.push(pointer) === WARNINGS_MAX) return warnings;
  }
  return warnings;
}

function* ignoredOfMessage(channel: Channel, message: Fields): Generator<Warning> {
  for (const field in message) {
    const value = message[field];
    if (value === null) continue;
    const pointer = childPointer('/message', field);
    const itemFields = PUSH_ITEM_FIELDS[field];
    if (!PUSH_MESSAGE_FIELDS[channel].has(field)) {
      yield ALL_MESSAGE_FIELDS.has(field)
        ? {
            code: 'unsupported_field',
            pointer,
            detail: `${channel} does not support this field; it was ignored.`,
          }
        : unknown(pointer);
    } else if (itemFields !== undefined) {
      for (const [index, item] of (value as readonly Fields[]).entries()) {
        for (const unknownPointer of unknownFields(item, `${pointer}/${index}`, itemFields))
          yield unknown(unknownPointer);
      }
    }
  }
}

function* unknownFields(
  object: Fields,
  pointer: string,
  known: ReadonlySet<string>,
): Generator<string> {
  for (const field in object)
    if (!known.has(field) && object[field] !== null) yield childPointer(pointer, field);
}

function unknown(pointer: string): Warning {
  return { code: 'unknown_field', pointer, detail: 'Unknown field (ignored).' };
}

/** A copy with these fields only: the object may have a million others. */
function pick(object: Fields, fields: ReadonlySet<string>): Fields {
  return Object.fromEntries(
    [...fields]
      .filter((field) => Object.hasOwn(object, field))
      .map((field) => [field, object[field]]),
  );
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isChannel(value: unknown): value is Channel {
  return (CHANNELS as readonly unknown[]).includes(value);
}

/**
 * The same fields with exact integers: bigints where a double rounds. `text` is the whole request.
 * Only the affected fields are parsed again, so 100,000 numeric ids or deep unknown fields beside
 * them cost almost nothing. The caller has bounded the depth of the fields.
 */
export function exactMessage<T extends Readonly<Record<string, unknown>>>(
  message: T,
  text: string,
): T {
  const rounded = Object.keys(message).filter((field) => holdsRoundedInteger(message[field]));
  if (rounded.length === 0) return message;
  const { start } = fieldAt(text, 0, 'message') ?? { start: 0 };
  const exact = rounded.map((field): [string, unknown] => {
    const span = fieldAt(text, start, field);
    return [
      field,
      span === undefined ? message[field] : parseExactJson(text.slice(span.start, span.end)),
    ];
  });
  return { ...message, ...Object.fromEntries(exact) };
}

/** The same for a field of the body, whose depth the caller has bounded. */
export function exactField<T>(value: T, text: string, field: string): T {
  if (!holdsRoundedInteger(value)) return value;
  const span = fieldAt(text, 0, field);
  return span === undefined ? value : (parseExactJson(text.slice(span.start, span.end)) as T);
}

function holdsRoundedInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.some(holdsRoundedInteger)
    : Object.values(value).some(holdsRoundedInteger);
}
