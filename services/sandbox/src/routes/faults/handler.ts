import { isInboxChannel, type Channel } from '@tidings/contracts/channels/channels';
import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import express, { type Express, type RequestHandler } from 'express';
import { parseFaultRequest } from '../../faults/fault.ts';
import type { FaultTable } from '../../faults/fault-table.ts';

const BODY_BYTES_MAX = 16 * 1024;
/** Lower codes are not rejections in SMTP, and redirects in HTTP. */
const REJECTION_STATUS_MIN = 400;

const isOfDevices = (channel: Channel): boolean => isInboxChannel(channel);

/** `/api/faults`: faults of the stand-in providers. */
export function mountFaults(app: Express, faults: FaultTable): void {
  const addFault: RequestHandler = (req, res) => {
    if (req.is('application/json') === false)
      throw new AppError('unsupported_media_type', 'Send application/json.');
    const parsed = parseFaultRequest(req.body);
    if (!parsed.ok)
      throw new AppError('validation_failed', 'The fault is not valid.', { errors: parsed.errors });
    const { channel, kind, status = REJECTION_STATUS_MIN } = parsed.value;
    if (isOfDevices(channel) && (kind === 'reject' || kind === 'status')) {
      throw new AppError('validation_failed', 'The fault is not valid.', {
        errors: [
          {
            pointer: '/kind',
            code: 'invalid_value',
            expected:
              'delay, drop_reply or reset: a device fetches its messages and cannot reject them',
          },
        ],
      });
    }
    if (channel === 'EMAIL' && status < REJECTION_STATUS_MIN) {
      throw new AppError('validation_failed', 'The fault is not valid.', {
        errors: [
          {
            pointer: '/status',
            code: 'out_of_range',
            expected: `${REJECTION_STATUS_MIN} or more: lower codes are not errors in SMTP`,
          },
        ],
      });
    }
    res.status(201).json(faults.add(parsed.value));
  };
  mountRoute(app, '/api/faults', {
    GET: [(_req, res) => void res.json({ faults: faults.list() })],
    POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), addFault],
    DELETE: [
      (_req, res) => {
        faults.clear();
        res.status(204).end();
      },
    ],
  });
}
