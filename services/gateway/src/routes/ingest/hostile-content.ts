import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { MESSAGE_FIELDS, type MessageType } from '@tidings/contracts/ingest/ingest';
import { findContentFaults, type ContentPath, type ContentRules } from '@tidings/validation';

/** Containers above a message: the envelope and `messages`. */
const LEVELS_ABOVE = 2;

/**
 * Finds content faults that the schema cannot express. Above the limit of a response, only the
 * first fault of each message is reported.
 */
export function findHostileContent(body: unknown, text: string): FieldError[] {
  return findContentFaults(body, text, BATCH_RULES);
}

const BATCH_RULES: ContentRules = {
  pointer: '',
  levelsAbove: LEVELS_ABOVE,
  isId(path) {
    if (path.length === 1)
      return path.step(0) === 'customUserId' || path.step(0) === 'serviceUserId';
    return path.length === LEVELS_ABOVE + 1 && readMessageIndex(path) >= 0 && path.step(2) === 'id';
  },
  expectedNumber: (path) => (isStoredNumber(path) ? 'a number that a Double can hold' : null),
  partOf(path) {
    const part = readMessageIndex(path);
    return { part, levels: part === -1 ? 1 : LEVELS_ABOVE };
  },
};

/** Index of the message that contains the value; -1 for the envelope. */
function readMessageIndex(path: ContentPath): number {
  return Array.isArray(path.container(1)) && path.step(0) === 'messages'
    ? Number(path.step(1))
    : -1;
}

/**
 * Unknown fields are not stored. For a known field of another type the schema reports the wrong
 * type.
 */
function isStoredNumber(path: ContentPath): boolean {
  if (path.length <= LEVELS_ABOVE || readMessageIndex(path) === -1) return false;
  const field = path.step(LEVELS_ABOVE);
  const { type } = path.container(LEVELS_ABOVE) as { readonly type?: unknown };
  if (path.length > LEVELS_ABOVE + 1)
    return (
      typeof type === 'string' &&
      Object.hasOwn(MESSAGE_FIELDS, type) &&
      MESSAGE_FIELDS[type as MessageType].has(field)
    );
  return (
    field === 'time' ||
    (field === 'birthday' && type === 'user') ||
    (field === 'revenue' && type === 'revenue')
  );
}
