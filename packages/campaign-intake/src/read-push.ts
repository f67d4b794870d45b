import type { Channel } from '@tidings/contracts/channels/channels';
import { WARNINGS_MAX, type Warning } from '@tidings/contracts/errors/error-codes';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { PushMessage, PushRequest } from '@tidings/contracts/push/push';
import type { CampaignNames } from '@tidings/contracts/push/push-names';
import type { StoredWinner } from '@tidings/contracts/push/push-winner';
import type { PushSegment } from '@tidings/contracts/push/push-audience';
import {
  AppError,
  currentTraceparent,
  toWellFormed,
  traceIdFrom,
  TRACEPARENT,
} from '@tidings/platform';
import { boundsFault } from '@tidings/segments/condition-bounds';
import type { NamedTemplate } from '@tidings/templates/find-templates';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readIdempotencyKey } from './idempotency-key.ts';
import { findPushFaults } from './find-faults.ts';
import {
  exactField,
  exactMessage,
  ignoredFields,
  knownMessage,
  knownPart,
  type Fields,
} from './known-message.ts';
import { readTemplateNames } from './push-templates.ts';
import type { PushAudience } from './resolve-audience.ts';
import type { PushSchedule } from './schedule.ts';
import { placeholderWarnings } from './warnings.ts';
import { readWinner } from './winner.ts';

export type Push = CampaignNames & {
  readonly channel: Channel;
  /** Empty for a push to a segment. */
  readonly recipients: readonly string[];
  /** Whom a push to a segment names; null for one with a list of recipients. */
  readonly audience: PushAudience | null;
  /** Null: at once. */
  readonly schedule: PushSchedule | null;
  /**
   * The fields that its channel knows, without null values. Integers beyond 2^53 are bigints. Of a
   * push by templates it is empty.
   */
  readonly message: PushMessage;
  /** The templates whose messages it sends; null: its own message. */
  readonly templateNames: readonly NamedTemplate[] | null;
  /** How it finds the template that most recipients get. */
  readonly winner: StoredWinner | null;
  /** Its own message is a template. */
  readonly isPersonalised: boolean;
  readonly purpose: Purpose;
  readonly isDryRun: boolean;
  readonly warnings: readonly Warning[];
  /** Identifies a repeated request; null without an Idempotency-Key. */
  readonly idempotency: { readonly key: string; readonly bodyHash: Buffer } | null;
  /** Trace id of the request: 32 hexadecimal digits. */
  readonly traceId: string;
  /** Size of the request body. */
  readonly bytes: number;
};

/**
 * Reads and validates a push. `body` holds the decompressed bytes.
 * @throws AppError `invalid_json`, or `validation_failed` with every fault and its pointer
 */
export async function readPush({
  applicationId,
  headers,
  body: bytes,
}: {
  readonly applicationId: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}): Promise<Push> {
  const { key, faults } = readIdempotencyKey(headers);
  const text = bytes.toString('utf8');
  const body = parse(text);
  const known = knownPart(body);
  const errors = [...faults, ...(await findPushFaults(applicationId, known, text))];
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The request is not valid. Nothing was sent.', {
      errors,
    });
  const request = known as PushRequest;
  const { channel, recipients, segment, exclude, recheck, purpose, dryRun, name, tags } = request;
  const templateNames = readTemplateNames(request);
  const isPersonalised = request.personalize === true && templateNames === null;
  const message = knownMessage(templateNames === null ? request.message : { body: '' });
  return {
    name: name ?? null,
    tags: tags ?? [],
    channel,
    recipients: recipients ?? [],
    audience:
      segment === undefined || segment === null
        ? null
        : {
            segment: readSegment(segment, text),
            exclude: exclude ?? null,
            recheck: recheck === true,
          },
    schedule: readSchedule(request),
    message: toWellFormed(exactMessage(message, text), text),
    templateNames,
    winner: readWinner(request),
    isPersonalised,
    purpose: purpose ?? 'transactional',
    isDryRun: dryRun === true,
    warnings: [
      ...ignoredFields(channel, body as Fields),
      ...(isPersonalised ? [] : placeholderWarnings(channel, message, text)),
    ].slice(0, WARNINGS_MAX),
    idempotency: key === null ? null : { key, bodyHash: hashOfBody(bytes) },
    traceId: traceIdFrom(currentTraceparent() ?? readTraceparent(headers)),
    bytes: bytes.length,
  };
}

/** Integers beyond 2^53 become bigints. A condition that is too large is rejected later. */
function readSegment(segment: PushSegment, text: string): PushSegment {
  return typeof segment === 'string' || boundsFault(segment.condition, '') !== null
    ? segment
    : exactField(segment, text, 'segment');
}

function readSchedule({ sendAt, sendAtLocal }: PushRequest): PushSchedule | null {
  if (sendAt !== undefined && sendAt !== null) return { sendAt };
  return sendAtLocal === undefined || sendAtLocal === null ? null : { sendAtLocal };
}

function readTraceparent(headers: IncomingHttpHeaders): string | undefined {
  const value = headers[TRACEPARENT];
  return typeof value === 'string' ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

/** A hash of the exact body bytes. */
function hashOfBody(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
