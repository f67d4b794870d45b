import { LIMITS } from '@tidings/contracts';
import { createApp, finishApp, mountRoute, trustProxies } from '@tidings/platform';
import type { Express } from 'express';
import { answerPreflight } from './access/cors.ts';
import { enter } from './access/enter.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { readJsonBody } from './read-body.ts';
import { countRequests } from './request-metrics.ts';
import { listRefusals } from './refusals/list-refusals.ts';
import { handleIngest } from './routes/ingest/handler.ts';
import { handlePush } from './routes/push/handler.ts';

/** The gateway's two addresses. Order of checks: route → credentials, address → room → rate → size and type → JSON → schema. */
export function createGateway(deps: GatewayDependencies): Express {
  const app = createApp(deps.ids);
  trustProxies(app, deps.trustedProxies);
  mountRoute(app, ['/', '/v1'], {
    POST: [
      countRequests('ingest'),
      enter(deps, { path: 'ingest', bodyBytesMax: LIMITS.ingestBodyBytesMax, isOpenToPages: true }),
      readJsonBody(LIMITS.ingestBodyBytesMax, deps.admission),
      handleIngest(deps),
    ],
    OPTIONS: [answerPreflight],
  });
  mountRoute(app, ['/push', '/v1/push'], {
    POST: [
      countRequests('push'),
      enter(deps, { path: 'push', bodyBytesMax: LIMITS.pushBodyBytesMax, required: 'server' }),
      readJsonBody(LIMITS.pushBodyBytesMax, deps.admission),
      handlePush(deps),
    ],
  });
  finishApp(app, deps.logger, listRefusals(deps));
  return app;
}
