import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import express, { type Express, type RequestHandler } from 'express';
import { Type } from 'typebox';
import {
  DEVICE_KINDS,
  type DemonstrationDevices,
  type DeviceKind,
} from '../../devices/demonstration-devices.ts';
import type { Subscriptions } from '../../providers/web-push/browser-keys.ts';
import { issueSubscription } from '../../providers/web-push/issue-subscription.ts';
import type { ShopConnection } from '../shop/connection.ts';

const BODY_BYTES_MAX = 16 * 1024;

const parseDevice = createValidator<{
  readonly customUserId: string;
  readonly kind?: DeviceKind;
  readonly deviceId?: string;
}>(
  Type.Object({
    customUserId: Type.String({ minLength: 1, maxLength: 256 }),
    kind: Type.Optional(Type.Unsafe<DeviceKind>({ enum: DEVICE_KINDS })),
    deviceId: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
  }),
);

type DevicesRoute = {
  readonly devices: DemonstrationDevices;
  readonly subscriptions: Subscriptions;
  readonly connectedShop: () => ShopConnection;
};

/**
 * `POST /api/devices`: creates a device of a shop customer. `none` shows IN_APP and ON_SITE
 * messages, `web_push` is a browser with push, `fcm` a phone with the app. With `deviceId` a device
 * of kind `none` continues after a restart of the sandbox.
 */
export function mountDevices(
  app: Express,
  { devices, subscriptions, connectedShop }: DevicesRoute,
): void {
  const add: RequestHandler = async (req, res) => {
    if (req.is('application/json') === false)
      throw new AppError('unsupported_media_type', 'Send application/json.');
    const parsed = parseDevice(req.body);
    if (!parsed.ok)
      throw new AppError('validation_failed', 'The device is not valid.', {
        errors: parsed.errors,
      });
    const { customUserId, kind = 'none', deviceId } = parsed.value;
    res.status(201).json(
      await devices.add(connectedShop(), {
        customUserId,
        kind,
        deviceId,
        subscribe: (key) => issueSubscription(req, subscriptions, key),
      }),
    );
  };
  mountRoute(app, '/api/devices', {
    POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), add],
  });
}
