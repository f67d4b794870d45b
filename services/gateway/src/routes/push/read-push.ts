import {
  LIMITS,
  PUSH_FIELDS,
  PUSH_MESSAGE_FIELDS,
  PushRequest,
  WARNINGS_MAX,
  type FieldError,
  type Warning,
} from '@tidings/contracts';
import { AppError, childPointer, compileValidator, holdsNul, toWellFormed } from '@tidings/platform';

const RANGE_ERRORS_MAX = 100;

const validate = compileValidator<PushRequest>(PushRequest);

/** The message keeps only what its channel knows. @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer */
export function readPush(bytes: Buffer): { readonly push: PushRequest; readonly warnings: Warning[] } {
  const text = bytes.toString('utf8');
  const result = validate(parse(text));
  const errors = result.ok ? ruleErrors(result.value) : result.errors;
  if (!result.ok || errors.length > 0) {
    throw new AppError('validation_failed', 'The request is not valid; nothing is sent.', { errors });
  }
  const { channel } = result.value;
  // The message alone: what else the caller sent is dropped, and its depth is not bounded.
  const message = toWellFormed(result.value.message, text);
  const known = Object.fromEntries(Object.entries(message).filter(([field, value]) => PUSH_MESSAGE_FIELDS[channel].has(field) && value !== null));
  return { push: { ...result.value, message: known as PushRequest['message'] }, warnings: warningsOf(result.value) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

/** What the schema cannot say: sizes in bytes, and text that Postgres cannot hold. */
function ruleErrors({ recipients, message, channel }: PushRequest): FieldError[] {
  const errors: FieldError[] = [];
  if (channel === 'EMAIL' && typeof message.body === 'string' && Buffer.byteLength(message.body) > LIMITS.emailBodyBytesMax) {
    errors.push({ pointer: '/message/body', code: 'too_long', expected: `at most ${LIMITS.emailBodyBytesMax} bytes` });
  }
  recipients.forEach((recipient, index) => {
    if (recipient.includes('\0')) errors.push({ pointer: `/recipients/${index}`, code: 'nul_not_allowed', expected: 'text without U+0000' });
    else if (!recipient.isWellFormed()) errors.push({ pointer: `/recipients/${index}`, code: 'invalid_value', expected: 'text without lone surrogates' });
  });
  errors.push(...shapeErrors(message));
  if (holdsNul(message)) errors.push({ pointer: '/message', code: 'nul_not_allowed', expected: 'keys and text without U+0000' });
  return errors;
}

/** Depth and numbers of the whole message. Without recursion, before anything that recurses sees the message. */
function shapeErrors(message: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const stack = [{ value: message, pointer: '/message', depth: 0 }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { value, pointer, depth } = visit;
    if (typeof value === 'number' && !Number.isFinite(value) && errors.length < RANGE_ERRORS_MAX) {
      errors.push({ pointer, code: 'out_of_range', expected: 'a number that a Double can hold' });
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= LIMITS.messageDepthMax) {
      return [{ pointer: '/message', code: 'too_deep', expected: `at most ${LIMITS.messageDepthMax} levels in a message` }];
    }
    for (const [key, item] of Object.entries(value)) {
      if (typeof item !== 'object' && typeof item !== 'number') continue;
      stack.push({ value: item, pointer: childPointer(pointer, key), depth: depth + 1 });
    }
  }
  return errors;
}

function warningsOf(push: PushRequest): Warning[] {
  const unknown = (pointer: string, detail: string): Warning => ({ code: 'unknown_field', pointer, detail });
  return [
    ...Object.keys(push)
      .filter((field) => !PUSH_FIELDS.has(field))
      .map((field) => unknown(childPointer('', field), 'This field is not known and was ignored.')),
    ...Object.keys(push.message)
      .filter((field) => !PUSH_MESSAGE_FIELDS[push.channel].has(field))
      .map((field) => unknown(childPointer('/message', field), `${push.channel} does not know this field; it was ignored.`)),
  ].slice(0, WARNINGS_MAX);
}
