import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import { createValidator } from '@tidings/validation';
import express, { type Express, type RequestHandler } from 'express';
import { Type } from 'typebox';
import type { UnregisteredDevices } from '../../devices/unregistered-devices.ts';
import type { FcmProject } from '../../providers/fcm/service-account.ts';
import type { Subscriptions } from '../../providers/web-push/browser-keys.ts';
import { issueSubscription } from '../../providers/web-push/issue-subscription.ts';
import { originOf } from '../../providers/web-push/push-service.ts';

const BODY_BYTES_MAX = 16 * 1024;

/** As `PushManager.subscribe` takes it: with a key, only its owner may push. */
const parseSubscribe = createValidator<{ readonly applicationServerKey?: string }>(
  Type.Object({
    applicationServerKey: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{87}$',
        description: 'a public key on P-256 in base64url',
      }),
    ),
  }),
);

export type PushDevices = {
  readonly subscriptions: Subscriptions;
  readonly gone: UnregisteredDevices;
  readonly project: FcmProject;
};

/**
 * Push devices. `POST /push/subscriptions` subscribes a browser. `DELETE` of a subscription or app
 * token unregisters it permanently. `GET /push/service-account` returns the file to configure an
 * APP_PUSH channel with.
 */
export function mountPushDevices(
  app: Express,
  { subscriptions, gone, project }: PushDevices,
): void {
  const subscribe: RequestHandler = (req, res) => {
    const parsed = parseSubscribe(req.body ?? {});
    if (!parsed.ok)
      throw new AppError('validation_failed', 'The subscription is not valid.', {
        errors: parsed.errors,
      });
    res
      .status(201)
      .json(issueSubscription(req, subscriptions, parsed.value.applicationServerKey ?? null));
  };
  const unregister =
    (isKnown: (address: string) => boolean): RequestHandler =>
    (req, res) => {
      const address = String(req.params['address']);
      if (!isKnown(address)) throw new AppError('not_found', 'The device does not exist.');
      gone.add(address);
      res.status(204).end();
    };
  mountRoute(app, '/push/subscriptions', {
    POST: [express.json({ limit: BODY_BYTES_MAX, strict: false }), subscribe],
  });
  mountRoute(app, '/push/subscriptions/:address', {
    DELETE: [unregister((id) => subscriptions.find(id) !== undefined)],
  });
  mountRoute(app, '/push/tokens/:address', { DELETE: [unregister(() => true)] });
  mountRoute(app, '/push/service-account', {
    GET: [(req, res) => void res.json(project.serviceAccount(originOf(req)))],
  });
}
