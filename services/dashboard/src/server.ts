import { createApp, finishApp, mountRoute } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';
import { requireAdministrator, requireApplication, requireReader } from './auth/access.ts';
import { tellThatDatabaseIsAway } from './database-away.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { readJson } from './read-json.ts';
import { applicationRoutes } from './routes/applications/handlers.ts';
import { campaignRoutes } from './routes/campaigns/handlers.ts';
import { channelRoutes } from './routes/channels/handlers.ts';
import { definitionRoutes } from './routes/definitions/handlers.ts';
import { ingestRoutes } from './routes/ingest/handlers.ts';
import { keyRoutes } from './routes/keys/handlers.ts';
import type { Route } from './routes/route.ts';
import { userRoutes } from './routes/users/handlers.ts';

/** Every route of `/api/v1` with who may call it. */
export function apiRoutes(deps: DashboardDependencies): Route[] {
  return [
    ...campaignRoutes(deps),
    ...userRoutes(deps),
    ...ingestRoutes(deps),
    ...applicationRoutes(deps),
    ...keyRoutes(deps),
    ...definitionRoutes(deps),
    ...channelRoutes(deps),
  ];
}

/** Reading, controlling and settings, for programs; the pages come to the same handlers with a session. */
export function createDashboard(deps: DashboardDependencies): Express {
  const app = createApp(deps.ids);
  const access: Record<Route['access'], RequestHandler[]> = {
    reader: [requireReader(deps.db)],
    administrator: [requireAdministrator(deps.db)],
    application_administrator: [requireAdministrator(deps.db), requireApplication(deps.db)],
  };
  for (const [path, routes] of Map.groupBy(apiRoutes(deps), (route) => route.path)) {
    mountRoute(
      app,
      `/api/v1/${path}`,
      Object.fromEntries(
        routes.map(({ method, access: who, handle }) => [method, [...access[who], ...(method === 'GET' || method === 'DELETE' ? [] : readJson), handle]]),
      ),
    );
  }
  app.use(tellThatDatabaseIsAway(deps.logger));
  finishApp(app, deps.logger);
  return app;
}
