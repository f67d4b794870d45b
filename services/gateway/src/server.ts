import { answerPreflights, createCallerBlocks, settleBody } from '@tidings/access';
import { sendEndpoint, submitMessagesEndpoint } from '@tidings/api-spec/endpoints/gateway';
import { LIMITS } from '@tidings/contracts';
import {
  beginAnswer,
  createApp,
  createClientAddressReader,
  createErrorAnswer,
  finishApp,
  httpsOnly,
  mountRoute,
  readJsonBody,
} from '@tidings/platform';
import type { Express } from 'express';
import type { RequestListener } from 'node:http';
import { createEntrance, type Enter } from './access/enter.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { listRefusals } from './refusals/list-refusals.ts';
import { handleIngest } from './routes/ingest/handler.ts';
import { handlePush } from './routes/push/handler.ts';

/** What pages send besides what they always may. */
const PREFLIGHT_HEADERS = [
  'Content-Type',
  'Content-Encoding',
  'Prefer',
  'X-Application-Id',
  'X-API-Key',
];

const PATHS = {
  ingest: [submitMessagesEndpoint.path, submitMessagesEndpoint.alias],
  push: [sendEndpoint.path, sendEndpoint.alias],
} as const;

/** A Client key is in every page: what its callers send too much costs Server keys nothing. */
const COUNTED_BY = {
  ingest: {
    server: { requests: 'ingest', bytes: 'ingestBytes' },
    client: { requests: 'ingestClient', block: 'ingestClientAddress', bytes: 'ingestBytes' },
  },
  push: { server: { requests: 'push' }, client: { requests: 'push' } },
} as const;

/** What every route begins with. */
type Entrances = { readonly ingest: Enter; readonly push: Enter };

/**
 * The gateway's two addresses. Order of checks: https → route → credentials, address → room → rate → size and type → JSON → schema.
 * A call of an address as it is written here is looked at before express sees it, which would be most of what it costs to
 * refuse one; any other spelling (a query, say) comes to the same entrance by its route.
 */
export function createGateway(deps: GatewayDependencies): RequestListener {
  const entrances = createEntrances(deps);
  const routes = createRoutes(deps, entrances);
  const enterAt = new Map([
    ...spellings(PATHS.ingest).map((path) => [path, entrances.ingest] as const),
    ...spellings(PATHS.push).map((path) => [path, entrances.push] as const),
  ]);
  const answer: RequestListener = (req, res) => {
    const enter = req.method === 'POST' ? enterAt.get(req.url ?? '') : undefined;
    if (enter === undefined) routes(req, res);
    else enter(req, beginAnswer(res, deps.ids), () => routes(req, res));
  };
  return httpsOnly(answer, deps);
}

export function createRoutes(
  deps: GatewayDependencies,
  { ingest, push }: Entrances = createEntrances(deps),
): Express {
  const app = createApp(deps.ids);
  mountRoute(app, [...PATHS.ingest], {
    POST: [
      ingest,
      readJsonBody(LIMITS.ingestBodyBytesMax, deps.admissions.ingest, settleBody),
      handleIngest(deps),
    ],
    OPTIONS: [answerPreflights({ methods: ['POST'], headers: PREFLIGHT_HEADERS })],
  });
  mountRoute(app, [...PATHS.push], {
    POST: [push, readJsonBody(LIMITS.pushBodyBytesMax, deps.admissions.push), handlePush(deps)],
  });
  finishApp(
    app,
    deps.logger,
    listRefusals({ ...deps, clientAddressOf: createClientAddressReader(deps.trustedProxies) }),
  );
  return app;
}

function createEntrances(deps: GatewayDependencies): Entrances {
  const clientAddressOf = createClientAddressReader(deps.trustedProxies);
  const callerBlocks = createCallerBlocks(clientAddressOf, deps.logger);
  const at = {
    ...deps,
    clientAddressOf,
    callerBlocks,
    answerError: createErrorAnswer(deps.logger, listRefusals({ ...deps, clientAddressOf })),
  };
  return {
    ingest: createEntrance(at, {
      path: 'ingest',
      countedBy: COUNTED_BY.ingest,
      bodyBytesMax: LIMITS.ingestBodyBytesMax,
      isOpenToPages: true,
    }),
    push: createEntrance(at, {
      path: 'push',
      countedBy: COUNTED_BY.push,
      bodyBytesMax: LIMITS.pushBodyBytesMax,
      required: 'server',
    }),
  };
}

/** The paths that express takes for these, with the slash it allows at the end. */
function spellings(paths: readonly string[]): string[] {
  return paths.flatMap((path) => (path === '/' ? [path] : [path, `${path}/`]));
}
