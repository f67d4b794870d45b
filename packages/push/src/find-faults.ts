import { FIELD_ERRORS_MAX, LIMITS, PushRequest, type FieldError } from '@tidings/contracts';
import { childPointer, compileValidator } from '@tidings/platform';
import { isChannel, isObject, type Fields } from './known-message.ts';

const validatePush = compileValidator<PushRequest>(PushRequest);

/** What the message of any channel has, for when nobody can tell which channel it is for. */
const validateAnyMessage = compileValidator<unknown>({
  type: 'object',
  properties: {
    message: {
      type: 'object',
      required: ['body'],
      properties: { body: { type: ['string', 'object'], minLength: 1 } },
    },
  },
});

/** Where the schema sees only that an infinite number is no integer. */
const NUMBER_POINTERS: ReadonlySet<string> = new Set(['/message/ttl', '/message/duration']);

/** All faults of the known part of a body, `text` parsed: one for each pointer, and at most one more than are shown. */
export function findPushFaults(body: unknown, text: string): FieldError[] {
  const result = validatePush(body);
  const faults = new Map<string, FieldError>(
    result.ok ? [] : result.errors.map((error) => [error.pointer, error]),
  );
  const more = isObject(body)
    ? [
        ...channelFaults(body),
        ...recipientFaults(body['recipients'], text),
        ...contentFaults(body['message']),
      ]
    : [];
  for (const fault of more) {
    if (!faults.has(fault.pointer) || NUMBER_POINTERS.has(fault.pointer))
      faults.set(fault.pointer, fault);
  }
  return [...faults.values()].slice(0, FIELD_ERRORS_MAX + 1);
}

/** What the schema of the channel cannot say. */
function channelFaults({ channel, message, ...rest }: Fields): readonly FieldError[] {
  if (!isChannel(channel)) {
    const result = validateAnyMessage({ ...rest, message });
    return result.ok ? [] : result.errors.filter(({ pointer }) => pointer.startsWith('/message/'));
  }
  const body = isObject(message) ? message['body'] : undefined;
  const isTooLong =
    channel === 'EMAIL' &&
    typeof body === 'string' &&
    Buffer.byteLength(body) > LIMITS.emailBodyBytesMax;
  return isTooLong
    ? [
        {
          pointer: '/message/body',
          code: 'too_long',
          expected: `at most ${LIMITS.emailBodyBytesMax} bytes`,
        },
      ]
    : [];
}

/** Ids are compared and indexed: nothing in them may be replaced. */
function recipientFaults(recipients: unknown, text: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  // Both can only be written as escapes; and of too many nobody looks at each.
  if (
    !text.includes('\\u') ||
    !Array.isArray(recipients) ||
    recipients.length > LIMITS.recipientsMax
  )
    return faults;
  for (const [index, recipient] of (recipients as readonly unknown[]).entries()) {
    if (typeof recipient !== 'string') continue;
    const pointer = `/recipients/${index}`;
    if (recipient.includes('\0'))
      faults.push({ pointer, code: 'nul_not_allowed', expected: 'text without U+0000' });
    else if (!recipient.isWellFormed())
      faults.push({ pointer, code: 'invalid_value', expected: 'text without lone surrogates' });
    if (faults.length > FIELD_ERRORS_MAX) break;
  }
  return faults;
}

/**
 * What JSON allows and the stores behind do not: U+0000, numbers that no double can hold, depth. It goes no deeper than
 * a message may, and makes a pointer only where there is a fault: a message may have millions of values.
 */
function contentFaults(message: unknown): readonly FieldError[] {
  const faults: FieldError[] = [];
  const path: (string | number)[] = ['message'];
  const add = (fault: Omit<FieldError, 'pointer'>, key?: string | number): void => {
    const keys = key === undefined ? path : [...path, key];
    faults.push({
      pointer: keys.reduce<string>((pointer, step) => childPointer(pointer, String(step)), ''),
      ...fault,
    });
  };
  const lookAt = (value: unknown, key: string | number): void => {
    if (typeof value === 'string' && value.includes('\0'))
      add({ code: 'nul_not_allowed', expected: 'text without U+0000' }, key);
    else if (typeof value === 'number' && !Number.isFinite(value))
      add({ code: 'out_of_range', expected: 'a Double' }, key);
    else if (typeof value === 'object' && value !== null) {
      path.push(key);
      lookInto(value);
      path.pop();
    }
  };
  const lookInto = (value: object): void => {
    if (path.length > LIMITS.messageDepthMax)
      return add({
        code: 'too_deep',
        expected: `at most ${LIMITS.messageDepthMax} levels in a message`,
      });
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && faults.length <= FIELD_ERRORS_MAX; index += 1)
        lookAt(value[index], index);
      return;
    }
    for (const key of Object.keys(value)) {
      if (faults.length > FIELD_ERRORS_MAX) return;
      if (key.includes('\0')) add({ code: 'nul_not_allowed', expected: 'keys without U+0000' });
      lookAt((value as Fields)[key], key);
    }
  };
  if (isObject(message)) lookInto(message);
  return faults;
}
