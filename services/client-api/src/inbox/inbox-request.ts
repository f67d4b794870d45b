import { grantOf } from '@tidings/access';
import { INBOX_MESSAGES_MAX, fetchMessagesEndpoint } from '@tidings/api-spec/endpoints/devices';
import { INBOX_CHANNELS, type InboxChannel } from '@tidings/contracts/channels/channels';
import type { InboxQuestion } from '@tidings/delivery/inbox';
import { readDevice, type Device } from '@tidings/people/devices/devices';
import { AppError, systemIds } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import type { Database } from '@tidings/postgres/database';
import type { Request, Response } from 'express';
import type { SdkGuard } from '../sdk/sdk-guard.ts';
import { noSuchDevice } from '../sdk/no-such-device.ts';
import { notValid } from '../sdk/valid-body.ts';

const validateId = createValidator<string>(fetchMessagesEndpoint.query.properties.deviceId, {
  isHot: true,
});

export type InboxRequest = {
  readonly device: Device;
  readonly channel: InboxChannel | null;
  /** Maximum number of messages the device wants; null: not specified. */ readonly limit:
    | number
    | null;
};

/** Reads the device, channel and limit of a request for messages. @throws AppError 400, 404, 429 */
export async function readInboxRequest(
  { db, countDevice }: { readonly db: Database } & Pick<SdkGuard, 'countDevice'>,
  req: Request,
  res: Response,
): Promise<InboxRequest> {
  const deviceId = readDeviceId(req);
  const { channel = null } = req.query;
  if (channel !== null && !isInboxChannel(channel))
    throw notValid([
      {
        pointer: '/channel',
        code: 'invalid_value',
        expected: `one of ${INBOX_CHANNELS.join(', ')}`,
      },
    ]);
  const limit = readLimit(req);
  await countDevice(res, deviceId);
  const device = await readDevice(db.sql, { applicationId: grantOf(res).applicationId, deviceId });
  if (device === null) throw noSuchDevice();
  return { device, channel, limit };
}

/**
 * The lease query of a request. It leases no more than the device wants, so that other devices can
 * get the rest.
 */
export function toInboxQuestion({
  device: { applicationId, deviceId },
  channel,
  limit,
}: InboxRequest): InboxQuestion {
  return {
    applicationId,
    deviceId,
    channel,
    stream: systemIds.uuid(),
    messagesMax: limit ?? INBOX_MESSAGES_MAX,
  };
}

function readLimit(req: Request): number | null {
  const { limit } = req.query;
  if (limit === undefined) return null;
  if (
    typeof limit === 'string' &&
    /^\d{1,2}$/.test(limit) &&
    Number(limit) >= 1 &&
    Number(limit) <= INBOX_MESSAGES_MAX
  )
    return Number(limit);
  throw notValid([
    { pointer: '/limit', code: 'invalid_value', expected: `1 to ${INBOX_MESSAGES_MAX}` },
  ]);
}

/** Reads the `deviceId` query parameter. @throws AppError 400 */
function readDeviceId(req: Request): string {
  const { deviceId } = req.query;
  if (typeof deviceId === 'string' && validateId(deviceId).ok) return deviceId;
  throw notValid([
    {
      pointer: '/deviceId',
      code: deviceId === undefined ? 'required' : 'invalid_value',
      expected: 'a device id',
    },
  ]);
}

export function tooManySubscribers(): AppError {
  return new AppError('unavailable', 'Too many devices are waiting for messages. Retry later.', {
    retryAfterSeconds: 5,
  });
}

const isInboxChannel = (channel: unknown): channel is InboxChannel =>
  (INBOX_CHANNELS as readonly unknown[]).includes(channel);
