import { createCampaignReports } from '@tidings/campaign-reports/reports';
import { openApiDocument } from '@tidings/openapi/document';
import { createApp, finishApp, mountRoute } from '@tidings/http/app';
import { createTlsReader } from '@tidings/http/client-address';
import { httpsOnly } from '@tidings/http/https-only';
import { answerStoreUnavailable } from '@tidings/http/store-unavailable';
import { isDatabaseUnavailable } from '@tidings/postgres/database';
import type { RequestHandler } from 'express';
import type { RequestListener } from 'node:http';
import { createAccess } from './auth/access.ts';
import type { OpenApi } from './docs/openapi-types.ts';
import { serveDocs } from './docs/serve-docs.ts';
import type { ApiDependencies } from './dependencies.ts';
import { servePages } from './pages/serve-pages.ts';
import { readJson } from './http/read-json.ts';
import { administratorTokenRoutes } from './routes/administrator-tokens/handlers.ts';
import { allowListRoutes } from './routes/allow-list/handlers.ts';
import { applicationRoutes } from './routes/applications/handlers.ts';
import { auditRoutes } from './routes/audit/handlers.ts';
import { campaignRoutes } from './routes/campaigns/handlers.ts';
import { sendRoute } from './routes/campaigns/send.ts';
import { channelRoutes } from './routes/channels/handlers.ts';
import { deadLetterRoutes } from './routes/dead-letters/handlers.ts';
import { definitionRoutes } from './routes/definitions/handlers.ts';
import { eventRoutes } from './routes/events/handlers.ts';
import { ingestRoutes } from './routes/ingest/handlers.ts';
import { keyRoutes } from './routes/keys/handlers.ts';
import { memberRoutes } from './routes/members/handlers.ts';
import type { Route } from './http/route.ts';
import { searchRoute } from './routes/search/handlers.ts';
import { testSendRoutes } from './routes/test-sends/handlers.ts';
import { automationRoutes } from './routes/automations/handlers.ts';
import { funnelRoutes } from './routes/funnels/handlers.ts';
import { retentionRoutes } from './routes/retention/handlers.ts';
import { trendRoutes } from './routes/trends/handlers.ts';
import { segmentRoutes } from './routes/segments/handlers.ts';
import { draftRoutes } from './routes/drafts/handlers.ts';
import { blockRoutes } from './routes/blocks/handlers.ts';
import { templateRoutes } from './routes/templates/handlers.ts';
import { sessionRoutes } from './routes/session/handlers.ts';
import { liveRoutes } from './routes/live/handlers.ts';
import { overviewRoutes } from './routes/overview/handlers.ts';
import { suppressionRoutes } from './routes/suppressions/handlers.ts';
import { userRoutes } from './routes/users/handlers.ts';
import { webhookRoutes } from './routes/webhooks/handlers.ts';

const RETRY_AFTER_SECONDS = 2;

/** All routes of `/api/v1`. */
export function apiRoutes(deps: ApiDependencies): Route[] {
  const reports = createCampaignReports(deps);
  return [
    ...campaignRoutes({ ...deps, reports }),
    sendRoute(deps),
    searchRoute(deps),
    ...userRoutes(deps),
    ...eventRoutes(deps),
    ...ingestRoutes(deps),
    ...applicationRoutes(deps),
    ...keyRoutes(deps),
    ...allowListRoutes(deps),
    ...definitionRoutes(deps),
    ...segmentRoutes(deps),
    ...funnelRoutes(deps),
    ...trendRoutes(deps),
    ...retentionRoutes(deps),
    ...automationRoutes(deps),
    ...draftRoutes({ ...deps, reports }),
    ...testSendRoutes(deps),
    ...templateRoutes(deps),
    ...blockRoutes(deps),
    ...channelRoutes(deps),
    ...webhookRoutes(deps),
    ...suppressionRoutes(deps),
    ...deadLetterRoutes(deps),
    ...sessionRoutes(deps),
    ...memberRoutes(deps),
    ...administratorTokenRoutes(deps),
    ...auditRoutes(deps),
    ...overviewRoutes(deps),
    ...liveRoutes({ ...deps, reports }),
  ];
}

/** The HTTP API and the dashboard. Programs and dashboard pages use the same handlers. */
export function createApi(deps: ApiDependencies): RequestListener {
  const app = createApp(deps.ids);
  const letIn = createAccess(deps);
  app.use('/api/v1', preventCaching);
  const routes = apiRoutes(deps);
  let text: string | undefined;
  const documentText = (): string => (text ??= JSON.stringify(openApiDocument(routes)));
  mountRoute(app, '/openapi.json', { GET: [sendDocument(documentText)] });
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    mountRoute(
      app,
      `/api/v1/${path}`,
      Object.fromEntries(
        methods.map((route) => [
          route.method,
          [
            letIn(route),
            ...(route.body === undefined ? [] : (route.readBody ?? readJson)),
            route.handle,
          ],
        ]),
      ),
    );
  }
  const isTls = createTlsReader(deps.trustedProxies);
  serveDocs(app, {
    readDocument: () => JSON.parse(documentText()) as OpenApi,
    baseUrl: deps.publicBaseUrl,
    isTls,
  });
  servePages(app, { pagesDir: deps.pagesDir, isTls });
  app.use(
    answerStoreUnavailable({
      isUnavailable: isDatabaseUnavailable,
      name: 'database',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      logger: deps.logger,
    }),
  );
  finishApp(app, deps.logger);
  return httpsOnly(app, deps);
}

/** Responses may be personal: no caching, no content sniffing. */
const preventCaching: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/** The OpenAPI document is public: it contains nothing secret. It is made when it is first asked for. */
function sendDocument(readText: () => string): RequestHandler {
  return (_req, res) => {
    res.type('application/json').send(readText());
  };
}
