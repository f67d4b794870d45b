import {
  changeWebhookEndpointEndpoint,
  createWebhookEndpointEndpoint,
  deleteWebhookEndpointEndpoint,
  listWebhookDeliveriesEndpoint,
  listWebhooksEndpoint,
  replayWebhookDeliveryEndpoint,
  rotateWebhookSecretEndpoint,
  testWebhookEndpoint,
} from '@tidings/api-spec/endpoints/webhooks';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError, isUuid } from '@tidings/platform';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from '@tidings/webhook-queue/endpoints';
import { listWebhookDeliveries, replayWebhookDelivery } from '@tidings/webhook-queue/delivery-log';
import type { Response } from 'express';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate, readPage, toPage } from '../../http/page.ts';
import { sendPing } from './send-ping.ts';

const NO_WEBHOOK = 'This application has no webhook endpoint with this id.';
const DISABLED = 'The endpoint is disabled. Enable it first.';

type Params = Readonly<Record<string, string>>;
const endpointOf = (res: Response, params: Params) => ({
  applicationId: getApplicationId(res),
  endpointId: String(params['webhookId']),
});

/** Webhook endpoints: create, change, test, and their delivery log. */
export function webhookRoutes(deps: ApiDependencies): Route[] {
  const { db, box } = deps;
  return [
    defineRoute(listWebhooksEndpoint, async ({ res, query }) =>
      paginate(query, await listWebhookEndpoints(db, getApplicationId(res)), ({ id }) => id),
    ),
    defineRoute(
      createWebhookEndpointEndpoint,
      async ({ res, body: { url, description = '', kinds = [], channels = [] } }) => {
        const endpoint = await createWebhookEndpoint(db, box, {
          applicationId: getApplicationId(res),
          url: normalUrl(url),
          description,
          kinds,
          channels,
        });
        if (endpoint === 'too_many')
          throw new AppError(
            'conflict',
            `An application has at most ${LIMITS.webhooksMax} webhook endpoints. Delete one first.`,
          );
        return endpoint;
      },
    ),
    defineRoute(changeWebhookEndpointEndpoint, async ({ res, params, body: { url, ...rest } }) => {
      const change = { ...rest, ...(url !== undefined && { url: normalUrl(url) }) };
      return found(await changeWebhookEndpoint(db, { ...endpointOf(res, params), change }));
    }),
    defineRoute(deleteWebhookEndpointEndpoint, async ({ res, params }) => {
      if (!(await deleteWebhookEndpoint(db, endpointOf(res, params))))
        throw new AppError('not_found', NO_WEBHOOK);
    }),
    defineRoute(rotateWebhookSecretEndpoint, async ({ res, params }) =>
      found(await rotateWebhookSecret(db, box, endpointOf(res, params))),
    ),
    defineRoute(testWebhookEndpoint, async ({ res, params }) => {
      const result = found(await sendPing(deps, endpointOf(res, params)));
      if (result === 'disabled') throw new AppError('conflict', DISABLED);
      return result;
    }),
    ...logRoutes(deps),
  ];
}

function logRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(listWebhookDeliveriesEndpoint, async ({ res, params, query }) => {
      const { limit, ...page } = readPage(query, isUuid);
      found(await readWebhookEndpoint(db, endpointOf(res, params)));
      const entries = await listWebhookDeliveries(db, endpointOf(res, params), {
        ...page,
        limit: limit + 1,
        ...(query.status && { status: query.status }),
      });
      return toPage(entries, limit, ({ id }) => id);
    }),
    defineRoute(replayWebhookDeliveryEndpoint, async ({ res, params }) => {
      const entry = await replayWebhookDelivery(db, {
        ...endpointOf(res, params),
        deliveryId: String(params['deliveryId']),
      });
      if (entry === null)
        throw new AppError('not_found', 'This endpoint has no delivery with this id.');
      if (entry === 'pending') throw new AppError('conflict', 'The delivery is still pending.');
      if (entry === 'disabled') throw new AppError('conflict', DISABLED);
      return entry;
    }),
  ];
}

function found<T>(value: T | null): T {
  if (value === null) throw new AppError('not_found', NO_WEBHOOK);
  return value;
}

/** Normalizes the URL. Its IP address is checked at each call, because DNS can change. */
function normalUrl(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    url.username !== '' ||
    url.password !== '' ||
    url.hash !== '' ||
    url.href.length > LIMITS.webhookUrlCharsMax
  ) {
    throw new AppError('validation_failed', 'The body is not valid.', {
      errors: [
        {
          pointer: '/url',
          code: 'invalid_value',
          expected: 'an http or https URL without user, password or fragment',
        },
      ],
    });
  }
  return url.href;
}
