import { answerPreflights, createCallerBlocks, settleBody } from '@tidings/access';
import { sendEndpoint, submitMessagesEndpoint } from '@tidings/api-spec/endpoints/gateway';
import { LIMITS } from '@tidings/contracts/limits';
import { beginAnswer, setCommonHeaders } from '@tidings/http/answer';
import { createClientAddressReader } from '@tidings/http/client-address';
import { createErrorAnswer, type ErrorAnswer } from '@tidings/http/error-answer';
import { httpsOnly } from '@tidings/http/https-only';
import { readAdmittedJson } from '@tidings/http/read-body';
import type { Answer } from '@tidings/http/request-value';
import { AppError, noteRoute, pathOf } from '@tidings/platform';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createRequestGuard, type RequestGuard } from './access/request-guard.ts';
import { asksForPage, redirectToDashboard } from './dashboard-redirect.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { recordRejections } from './rejections/record-rejections.ts';
import type { Handle } from './routes/handle.ts';
import { handleIngest } from './routes/ingest/handler.ts';
import { handlePush } from './routes/push/handler.ts';

/** Headers that pages may send, beyond the CORS-safelisted ones. */
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

/**
 * Client keys are public, since pages contain them. Their excess requests never use up the rates of
 * Server keys.
 */
const COUNTED_BY = {
  ingest: {
    server: { requests: 'ingest', bytes: 'ingestBytes' },
    client: { requests: 'ingestClient', block: 'ingestClientAddress', bytes: 'ingestBytes' },
  },
  push: { server: { requests: 'push' }, client: { requests: 'push' } },
} as const;

type Listener = (req: IncomingMessage, res: Answer) => void;

/** One endpoint: its paths and its listeners by method. */
export type GatewayRoute = {
  readonly paths: readonly string[];
  readonly methods: ReadonlyMap<string, Listener>;
};

/**
 * The two endpoints of the gateway. Order of the checks: https → route → credentials, address →
 * admission → rates → size and type → JSON → schema.
 * Without express: its routing, exceptions and header handling were most of the cost of a rejected
 * request.
 */
export function createGateway(deps: GatewayDependencies): RequestListener {
  const answerError = createRejectionAnswer(deps);
  const routeAt = new Map(
    createRoutes(deps, answerError).flatMap((route) =>
      spellings(route.paths).map((path) => [path, route] as const),
    ),
  );
  const answering = (listener: Listener, req: IncomingMessage, res: Answer): void => {
    try {
      listener(req, res);
    } catch (error) {
      answerError(error, { req, res });
    }
  };
  const answer: RequestListener = (req, response) => {
    const res = beginAnswer(response, deps.ids);
    const path = pathOf(req);
    const route = routeAt.get(path);
    if (route === undefined)
      return answerError(new AppError('not_found', 'No endpoint exists at this path.'), {
        req,
        res,
      });
    noteRoute(req, path);
    const listener = route.methods.get(req.method ?? '');
    if (listener !== undefined) return answering(listener, req, res);
    if (path === '/' && deps.dashboardUrl !== '' && asksForPage(req))
      return redirectToDashboard(res, deps.dashboardUrl);
    const allowed = [...route.methods.keys()].join(', ');
    answerError(new AppError('method_not_allowed', `Use ${allowed}.`), {
      req,
      res,
      headers: ['Allow', allowed],
    });
  };
  return httpsOnly(answer, deps);
}

export function createRoutes(
  deps: GatewayDependencies,
  answerError: ErrorAnswer = createRejectionAnswer(deps),
): GatewayRoute[] {
  const guards = createGuards(deps, answerError);
  const preflight = answerPreflights({ methods: ['POST'], headers: PREFLIGHT_HEADERS });
  const ingest = handleBody(handleIngest(deps), answerError, {
    bytesMax: LIMITS.ingestBodyBytesMax,
    admission: deps.admissions.ingest,
    noteSize: settleBody,
  });
  const push = handleBody(handlePush(deps), answerError, {
    bytesMax: LIMITS.pushBodyBytesMax,
    admission: deps.admissions.push,
  });
  return [
    {
      paths: PATHS.ingest,
      methods: new Map([
        ['POST', guarded(guards.ingest, ingest)],
        [
          'OPTIONS',
          (req, res) => {
            setCommonHeaders(res);
            preflight(req, res);
          },
        ],
      ]),
    },
    { paths: PATHS.push, methods: new Map([['POST', guarded(guards.push, push)]]) },
  ];
}

/** A listener that only runs for requests that pass the guard. */
function guarded(guard: RequestGuard, listener: Listener): Listener {
  return (req, res) => guard(req, res, () => listener(req, res));
}

function handleBody(
  handle: Handle,
  answerError: ErrorAnswer,
  body: Parameters<typeof readAdmittedJson>[2],
): Listener {
  const run: (req: IncomingMessage, res: Answer) => Promise<void> = async (req, res) =>
    handle(req, res, await readAdmittedJson(req, res, body));
  return (req, res) => {
    run(req, res).catch((error: unknown) => answerError(error, { req, res }));
  };
}

/** Turns errors into responses and records rejections that a caller can fix. */
function createRejectionAnswer(deps: GatewayDependencies): ErrorAnswer {
  const clientAddressOf = createClientAddressReader(deps.trustedProxies);
  return createErrorAnswer(deps.logger, recordRejections({ ...deps, clientAddressOf }));
}

function createGuards(
  deps: GatewayDependencies,
  answerError: ErrorAnswer,
): { readonly ingest: RequestGuard; readonly push: RequestGuard } {
  const clientAddressOf = createClientAddressReader(deps.trustedProxies);
  const callerBlocks = createCallerBlocks(clientAddressOf, deps.logger);
  const at = {
    ...deps,
    clientAddressOf,
    callerBlocks,
    answerError,
  };
  return {
    ingest: createRequestGuard(at, {
      path: 'ingest',
      countedBy: COUNTED_BY.ingest,
      bodyBytesMax: LIMITS.ingestBodyBytesMax,
      isOpenToPages: true,
    }),
    push: createRequestGuard(at, {
      path: 'push',
      countedBy: COUNTED_BY.push,
      bodyBytesMax: LIMITS.pushBodyBytesMax,
      required: 'server',
    }),
  };
}

/** A path may end with a slash. */
function spellings(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, `${path}/`]);
}
