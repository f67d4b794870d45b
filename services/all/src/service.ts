import { service as api } from '@tidings/api/src/service.ts';
import { PUBLIC_ROUTES } from '@tidings/api-spec/public-routes';
import { service as automationEngine } from '@tidings/automation-engine/src/service.ts';
import { service as campaigns } from '@tidings/campaigns/src/service.ts';
import { service as clientApi } from '@tidings/client-api/src/service.ts';
import { service as eventsConsumer } from '@tidings/events-consumer/src/service.ts';
import { service as gateway } from '@tidings/gateway/src/service.ts';
import {
  loadConfig,
  type ConfigOf,
  type ConfigSpec,
  type ProcessDefinition,
  type ProcessPlan,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { service as scheduler } from '@tidings/scheduler/src/service.ts';
import { service as usersConsumer } from '@tidings/users-consumer/src/service.ts';
import { service as webhooks } from '@tidings/webhooks/src/service.ts';
import { service as appPush } from '@tidings/worker-app-push/src/service.ts';
import { service as email } from '@tidings/worker-email/src/service.ts';
import { service as inApp } from '@tidings/worker-in-app/src/service.ts';
import { service as onSite } from '@tidings/worker-on-site/src/service.ts';
import { service as sms } from '@tidings/worker-sms/src/service.ts';
import { service as webHook } from '@tidings/worker-web-hook/src/service.ts';
import { service as webPush } from '@tidings/worker-web-push/src/service.ts';
import { allConfig, OWN_NAMES } from './config.ts';
import { connectionsOf, poolNameOf } from './connections.ts';
import { mergeConfigs, type NamedConfig } from './merge-configs.ts';
import { createPublicServer, type PublicServer } from './public-server.ts';
import { withSandboxSettings } from './sandbox-settings.ts';

/** A service without the type of its configuration. */
type AnyService = NamedConfig & {
  readonly start: (config: object, ctx: ServiceContext) => Promise<Service>;
};

function anyService<S extends ConfigSpec>(definition: ServiceDefinition<S>): AnyService {
  const { name, config, start } = definition;
  return { name, config, start: (values, ctx) => start(values as ConfigOf<S>, ctx) };
}

/** Slow answers of the API, as when it runs alone. */
const CLOSE_DEADLINE_MS = 30_000;
/** As when the gateway runs alone. */
const ACCEPT_SOCKETS = 32;

const WORKERS = [
  anyService(appPush),
  anyService(email),
  anyService(inApp),
  anyService(onSite),
  anyService(sms),
  anyService(webHook),
  anyService(webPush),
];

/** In the place of the workers: says that they are missing, which no one should forget. */
const NO_WORKERS: AnyService = {
  name: 'workers',
  config: {},
  start(_config, { logger }) {
    logger.warn('WORKERS is false: no message is sent');
    return Promise.resolve({
      stopIntake: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
    });
  },
};

/**
 * Stages of the drain: services that accept work, those that pass it on, automations, which react to
 * it and send, workers, and last the sandbox, which replaces the providers.
 */
export const STAGES: readonly (readonly AnyService[])[] = [
  [anyService(gateway), anyService(api), anyService(clientApi)],
  [
    anyService(usersConsumer),
    anyService(eventsConsumer),
    anyService(campaigns),
    anyService(webhooks),
    anyService(scheduler),
  ],
  [anyService(automationEngine)],
  WORKERS,
];

/** Every service in one process, behind one address. */
export const allServices = {
  name: 'tidings',
  plan: planAll,
  nameOf: poolNameOf,
} satisfies ProcessDefinition;

type Environment = Readonly<Record<string, string>>;

/** @throws ConfigError */
export async function planAll(given: Environment): Promise<ProcessPlan> {
  const { workers } = loadConfig({ workers: allConfig.workers }, given);
  const sandbox = await sandboxStage(given);
  const stages = [...STAGES.slice(0, -1), workers ? WORKERS : [NO_WORKERS], ...sandbox];
  const environment = sandbox.length === 0 ? given : withSandboxSettings(given);
  const merged = mergeConfigs(stages.flat(), { own: allConfig, ownNames: OWN_NAMES });
  const values = loadConfig(merged.spec, environment);
  const own = merged.configOf({ name: 'tidings', config: allConfig }, values) as ConfigOf<
    typeof allConfig
  >;
  const server = openPublicServer(own, values);
  return {
    settings: own,
    stages: stages.map((stage) =>
      stage.map((service) => {
        const { name } = service;
        const config = {
          ...merged.configOf(service, values),
          databasePoolMax: connectionsOf(name, own.databasePoolMax),
        };
        return {
          name,
          start: (ctx) => service.start(config, { ...ctx, listen: server.listenFor(name) }),
        };
      }),
    ),
  };
}

/** Loaded only when it is wanted, since it takes memory. */
async function sandboxStage(environment: Environment): Promise<(readonly AnyService[])[]> {
  const { sandbox } = loadConfig({ sandbox: allConfig.sandbox }, environment);
  if (!sandbox) return [];
  const { service } = await import('@tidings/sandbox/src/service.ts');
  return [[anyService(service)]];
}

function openPublicServer(
  { host, port }: ConfigOf<typeof allConfig>,
  values: Readonly<Record<string, unknown>>,
): PublicServer {
  return createPublicServer({
    address: { host, port },
    routes: PUBLIC_ROUTES,
    options: {
      acceptSockets: ACCEPT_SOCKETS,
      closeDeadlineMs: CLOSE_DEADLINE_MS,
      // Waiting devices leave all the connections that the gateway may have alone.
      connectionsMax:
        Number(values[gateway.config.connectionsMax.env]) +
        Number(values[clientApi.config.inboxWaitingMax.env]),
    },
  });
}
