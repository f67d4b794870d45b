import { clientApiConfig } from '@tidings/client-api/src/config.ts';
import { gatewayConfig } from '@tidings/gateway/src/config.ts';
import { httpConfig } from '@tidings/http/http-config';
import { flag, processConfig, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

/**
 * Settings of the process with all services. They replace those of the same variable in each
 * service.
 */
export const allConfig = {
  ...httpConfig,
  ...processConfig,
  // Slow answers of the API (30 s), then sends in flight (15 s), after the wait.
  drainDeadlineMs: { ...processConfig.drainDeadlineMs, default: 60_000 },
  databasePoolMax: {
    ...databaseConfig.databasePoolMax,
    doc: 'Maximum connections to Postgres of the process, all services together. With a `PUBLIC_DATABASE_URL` of its own, client-api has further ones.',
    schema: { type: 'integer', minimum: 10, maximum: 200 },
    default: 20,
  },
  // The strictest of several declarations.
  publicBaseUrl: clientApiConfig.publicBaseUrl,
  dashboardUrl: gatewayConfig.dashboardUrl,
  workers: flag(
    'WORKERS',
    'Whether the process sends messages. Without workers they wait, and all else works, also webhooks: for the time after a restore.',
    { default: true },
  ),
  sandbox: flag(
    'SANDBOX',
    'Also runs the sandbox, which replaces the providers and shows their messages to anyone. Not for production.',
    { default: false },
  ),
} as const satisfies ConfigSpec;

type OwnName = { readonly env: string; readonly fallbackEnv?: string };

/** Variables whose meaning or default differs between services: here each has its own. */
export const OWN_NAMES: Readonly<Record<string, Readonly<Record<string, OwnName>>>> = {
  'worker-email': {
    SEND_CONCURRENCY: {
      env: 'WORKER_EMAIL_SEND_CONCURRENCY',
      fallbackEnv: 'SEND_CONCURRENCY',
    },
  },
  sandbox: {
    HOST: { env: 'SANDBOX_HOST' },
    PORT: { env: 'SANDBOX_PORT' },
  },
};
