import { createApp, finishApp } from '@tidings/http/app';
import { httpsOnly } from '@tidings/http/https-only';
import { answerStoreUnavailable } from '@tidings/http/store-unavailable';
import { isDatabaseUnavailable } from '@tidings/postgres/database';
import {
  SMS_CALLBACK_PROVIDERS,
  type SmsCallbackRegistry,
} from '@tidings/providers/sms/callback-providers';
import type { Express } from 'express';
import type { RequestListener } from 'node:http';
import type { ClientApiDependencies } from './dependencies.ts';
import { mountClick } from './routes/click/handler.ts';
import { mountEmailDsn } from './routes/email-dsn/handler.ts';
import { mountOpen } from './routes/open/handler.ts';
import { mountSdkFiles } from './routes/sdk-files/handler.ts';
import { mountSmsInbound } from './routes/sms-inbound/handler.ts';
import { mountSmsStatus } from './routes/sms-status/handler.ts';
import { mountUnsubscribe } from './routes/unsubscribe/handler.ts';
import { mountSdk } from './sdk/mount-sdk.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * The public endpoints: provider callbacks and e-mail links, which are signed and need no key, and
 * the SDK endpoints, which need a Client key.
 */
export function createClientApi(
  deps: ClientApiDependencies,
  smsProviders?: SmsCallbackRegistry,
): RequestListener {
  return httpsOnly(createRoutes(deps, smsProviders), {
    ...deps,
    trustedProxies: deps.access.trustedProxies,
  });
}

export function createRoutes(
  deps: ClientApiDependencies,
  smsProviders: SmsCallbackRegistry = SMS_CALLBACK_PROVIDERS,
): Express {
  const app = createApp(deps.ids);
  for (const provider of Object.entries(smsProviders)) {
    mountSmsStatus(app, provider, deps);
    mountSmsInbound(app, provider, deps);
  }
  mountEmailDsn(app, deps);
  mountOpen(app, deps);
  mountClick(app, deps);
  mountUnsubscribe(app, deps);
  mountSdkFiles(app);
  mountSdk(app, deps);
  // Providers and devices retry after 503.
  app.use(
    answerStoreUnavailable({
      isUnavailable: isDatabaseUnavailable,
      name: 'database',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      logger: deps.logger,
    }),
  );
  finishApp(app, deps.logger);
  return app;
}
