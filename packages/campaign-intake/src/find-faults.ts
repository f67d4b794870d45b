import { FIELD_ERRORS_MAX, type FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { PUSH_WITHOUT_SEGMENT, type PushRequest } from '@tidings/contracts/push/push';
import {
  createValidator,
  findContentFaults,
  idFault,
  mayHoldBadText,
  type ContentRules,
} from '@tidings/validation';
import { findKeyFaults } from '@tidings/templates/message-keys';
import { childPointer } from '@tidings/validation/child-pointer';
import { audienceFaults, isForSegment } from './audience-faults.ts';
import { isChannel, isObject, type Fields } from './known-message.ts';
import { liquidFaults, namingFaults, plainFaults, withSampleMessage } from './push-templates.ts';
import { scheduleFaults } from './schedule.ts';
import { winnerFaults } from './winner.ts';
import { mayHoldBraces } from './warnings.ts';

/** `audienceFaults` finds the faults of `segment`; its condition is checked later. */
const validatePush = createValidator<PushRequest>(PUSH_WITHOUT_SEGMENT, { isHot: true });

/** The fields common to every channel, for a request whose channel is missing or unknown. */
const validateAnyMessage = createValidator<unknown>({
  type: 'object',
  properties: {
    message: {
      type: 'object',
      required: ['body'],
      properties: { body: { type: ['string', 'object'], minLength: 1 } },
    },
  },
});

/** At these fields the schema reports an infinite number only as "not an integer". */
const NUMBER_POINTERS: ReadonlySet<string> = new Set(['/message/ttl', '/message/duration']);

/**
 * All faults of the known part of a body that was parsed from `text`: one per pointer, and at most
 * one more than a response shows.
 */
export async function findPushFaults(
  applicationId: string,
  body: unknown,
  text: string,
): Promise<FieldError[]> {
  const result = validatePush(toCheck(body));
  const faults = new Map<string, FieldError>(
    [
      ...(isObject(body) ? [...audienceFaults(body), ...scheduleFaults(body)] : []),
      ...(result.ok ? [] : result.errors),
    ].map((error) => [error.pointer, error]),
  );
  const add = (more: readonly FieldError[]): void => {
    for (const fault of more)
      if (!faults.has(fault.pointer) || NUMBER_POINTERS.has(fault.pointer))
        faults.set(fault.pointer, fault);
  };
  if (isObject(body)) {
    const { message } = body;
    add(channelFaults(body));
    add(recipientFaults(body['recipients'], text));
    if (isObject(message)) {
      const walked = withoutLongLists(message, faults);
      add(findKeyFaults(walked, '/message'));
      add(findContentFaults(walked, text, MESSAGE_RULES));
    }
    add(namingFaults(body));
    add(winnerFaults(body));
    // Beyond those of an answer, not every refused part of the message is known.
    if (faults.size <= FIELD_ERRORS_MAX) {
      add(await liquidFaults(applicationId, body, faults));
      if (mayHoldBraces(text)) add(plainFaults(body));
    }
  }
  return [...faults.values()].slice(0, FIELD_ERRORS_MAX + 1);
}

/** The message without lists that are refused as too long: they may have a million items. */
const withoutLongLists = (message: Fields, faults: ReadonlyMap<string, FieldError>): Fields =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([field]) => faults.get(childPointer('/message', field))?.code !== 'too_many',
    ),
  );

/** The body as its schema checks it. */
const toCheck = (body: unknown): unknown =>
  isObject(body) ? withSampleMessage(withoutNullRecipients(body)) : body;

/** Null counts as absent where recipients may be. */
function withoutNullRecipients(body: Fields): Fields {
  if (body['recipients'] !== null || !isForSegment(body)) return body;
  const { recipients: _recipients, ...rest } = body;
  return rest;
}

/** Rules that the schema of the channel cannot express. */
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

/** Ids are compared and indexed, so bad text in them is a fault and not replaced. */
function recipientFaults(recipients: unknown, text: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  // JSON can write bad text only as escapes. A list above the limit is not checked item by item.
  if (
    !mayHoldBadText(text) ||
    !Array.isArray(recipients) ||
    recipients.length > LIMITS.recipientsMax
  )
    return faults;
  for (const [index, recipient] of (recipients as readonly unknown[]).entries()) {
    if (typeof recipient !== 'string') continue;
    const fault = idFault(recipient);
    if (fault !== null) faults.push({ pointer: `/recipients/${index}`, ...fault });
    if (faults.length > FIELD_ERRORS_MAX) break;
  }
  return faults;
}

/** Rules for the known part of a message. Every number is stored, and all faults form one list. */
const MESSAGE_RULES: ContentRules = {
  pointer: '/message',
  levelsAbove: 0,
  isId: () => false,
  expectedNumber: () => 'a Double',
  partOf: () => ({ part: 0, levels: 0 }),
};
