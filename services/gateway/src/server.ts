import { LIMITS } from '@tidings/contracts';
import { createApp, finishApp, mountRoute } from '@tidings/platform';
import type { Express } from 'express';
import { authenticate } from './auth/authenticate.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { readJsonBody } from './read-body.ts';
import { countRequests } from './request-metrics.ts';
import { handleIngest } from './routes/ingest/handler.ts';
import { handlePush } from './routes/push/handler.ts';

/** The gateway's two addresses. Order of checks: route → credentials → admission → size and type → JSON → schema. */
export function createGateway(deps: GatewayDependencies): Express {
  const app = createApp(deps.ids);
  mountRoute(app, ['/', '/v1'], {
    POST: [
      countRequests('ingest'),
      authenticate(deps.keys),
      deps.admission.middleware(LIMITS.ingestBodyBytesMax),
      readJsonBody(LIMITS.ingestBodyBytesMax, deps.admission),
      handleIngest(deps),
    ],
  });
  mountRoute(app, ['/push', '/v1/push'], {
    POST: [
      countRequests('push'),
      authenticate(deps.keys, 'server'),
      deps.admission.middleware(LIMITS.pushBodyBytesMax),
      readJsonBody(LIMITS.pushBodyBytesMax, deps.admission),
      handlePush(deps),
    ],
  });
  finishApp(app, deps.logger);
  return app;
}
