import { AppError, compileValidator, mountRoute } from '@tidings/platform';
import express, { type Express, type RequestHandler } from 'express';
import { Type } from 'typebox';
import type { DemonstrationDevices } from '../../devices/demonstration-devices.ts';
import type { ShopConnection } from '../shop/connection.ts';

const BODY_BYTES_MAX = 16 * 1024;

const parseDevice = compileValidator<{ readonly customUserId: string }>(Type.Object({ customUserId: Type.String({ minLength: 1, maxLength: 256 }) }));

/** `POST /api/devices`: a device of one of the shop's customers, which shows what comes by IN_APP and ON_SITE. */
export function mountDevices(app: Express, { devices, connectedShop }: { readonly devices: DemonstrationDevices; readonly connectedShop: () => ShopConnection }): void {
  const add: RequestHandler = async (req, res) => {
    if (req.is('application/json') === false) throw new AppError('unsupported_media_type', 'Send application/json.');
    const parsed = parseDevice(req.body);
    if (!parsed.ok) throw new AppError('validation_failed', 'The device is not valid.', { errors: parsed.errors });
    res.status(201).json(await devices.add(connectedShop(), parsed.value.customUserId));
  };
  mountRoute(app, '/api/devices', { POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), add] });
}
