import { createApp, finishApp } from '@tidings/platform';
import type { Express } from 'express';
import { tellThatDatabaseIsAway } from './database-away.ts';
import type { ClientApiDependencies } from './dependencies.ts';
import { mountSmsInbound } from './routes/sms-inbound/handler.ts';
import { mountSmsStatus } from './routes/sms-status/handler.ts';

/** What providers call back; none of it needs a key, all of it is signed. */
export function createClientApi(deps: ClientApiDependencies): Express {
  const app = createApp(deps.ids);
  mountSmsStatus(app, deps);
  mountSmsInbound(app, deps);
  app.use(tellThatDatabaseIsAway(deps.logger));
  finishApp(app, deps.logger);
  return app;
}
