import type { Channel, FieldError, Purpose, PushMessage, PushRequest, Warning } from '@tidings/contracts';
import { AppError, toWellFormed } from '@tidings/platform';
import { exactMessage } from './exact-message.ts';
import { findPushFaults } from './find-faults.ts';
import { ignoredFields, knownMessage, knownPart, type Fields } from './known-message.ts';

export type Push = {
  readonly channel: Channel;
  readonly recipients: readonly string[];
  /** The fields its channel knows, without those of null; integers beyond 2^53 are bigints. */
  readonly message: PushMessage;
  readonly purpose: Purpose;
  readonly isDryRun: boolean;
  readonly warnings: readonly Warning[];
};

/**
 * Reads the body of a push. `otherFaults` are those of the request around it.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export function readPush(bytes: Buffer, otherFaults: readonly FieldError[] = []): Push {
  const text = bytes.toString('utf8');
  const body = parse(text);
  const known = knownPart(body);
  const errors = [...otherFaults, ...findPushFaults(known, text)];
  if (errors.length > 0) throw new AppError('validation_failed', 'The request is not valid; nothing is sent.', { errors });
  const { channel, recipients, message, purpose, dryRun } = known as PushRequest;
  return {
    channel,
    recipients,
    message: toWellFormed(exactMessage(knownMessage(message), text), text),
    purpose: purpose ?? 'transactional',
    isDryRun: dryRun === true,
    warnings: ignoredFields(channel, body as Fields),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}
