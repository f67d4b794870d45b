import { grantOf } from '@tidings/access';
import { DeviceId, INBOX_CHANNELS, type InboxChannel } from '@tidings/contracts';
import { readDevice, type Database, type Device } from '@tidings/db';
import { AppError, compileValidator } from '@tidings/platform';
import type { Request, Response } from 'express';
import type { SdkEntrance } from '../sdk/entrance.ts';
import { noSuchDevice } from '../sdk/no-such-device.ts';
import { notValid } from '../sdk/valid-body.ts';

const validateId = compileValidator<string>(DeviceId);

export type WaitingDevice = { readonly device: Device; readonly channel: InboxChannel | null };

/** The device that asks for messages, and for which. @throws AppError 400, 404, 429 */
export async function readWaitingDevice({ db, countDevice }: { readonly db: Database } & Pick<SdkEntrance, 'countDevice'>, req: Request, res: Response): Promise<WaitingDevice> {
  const deviceId = readDeviceId(req);
  const { channel = null } = req.query;
  if (channel !== null && !isInboxChannel(channel)) throw notValid([{ pointer: '/channel', code: 'invalid_value', expected: `one of ${INBOX_CHANNELS.join(', ')}` }]);
  await countDevice(res, deviceId);
  const device = await readDevice(db.sql, { applicationId: grantOf(res).applicationId, deviceId });
  if (device === null) throw noSuchDevice();
  return { device, channel };
}

/** The `deviceId` of the query. @throws AppError 400 */
export function readDeviceId(req: Request): string {
  const { deviceId } = req.query;
  if (typeof deviceId === 'string' && validateId(deviceId).ok) return deviceId;
  throw notValid([{ pointer: '/deviceId', code: deviceId === undefined ? 'required' : 'invalid_value', expected: 'the id of a device' }]);
}

export function noRoom(): AppError {
  return new AppError('unavailable', 'Too many devices wait for messages. Try again.', { retryAfterSeconds: 5 });
}

const isInboxChannel = (channel: unknown): channel is InboxChannel => (INBOX_CHANNELS as readonly unknown[]).includes(channel);
