import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC_ROUTES, type Route } from '@tidings/api-spec/public-routes';
import { parse } from 'yaml';
import { ROOT_DIR } from '../home.ts';

export type ServiceEntry = {
  readonly name: string;
  /** The service whose code it runs, if its name differs: one of several instances. */
  readonly program?: string;
  /** True if it has an HTTP port besides its health port. */
  readonly hasHttp: boolean;
  /** True if it connects with the database role with fewer rights. */
  readonly hasPublicRole?: boolean;
  /** Services drain stage by stage, so that the work that a stage passes on is still accepted. */
  readonly drainStage: number;
  /** Node flags of its process. */
  readonly nodeFlags?: readonly string[];
};

/** Name of the process with all services. */
export const ONE_PROCESS = 'tidings';

export type ServiceTable = {
  readonly services: readonly ServiceEntry[];
  readonly routes: readonly Route[];
};

type Entry = {
  readonly http?: boolean;
  readonly needs?: readonly string[];
  readonly nodeFlags?: readonly string[];
};
type Values = {
  readonly services: Readonly<Record<string, Entry>>;
  /** Workers by channel slug. */
  readonly workers: Readonly<Record<string, Entry>>;
  readonly oneProcess: Entry;
};

/**
 * For development and tests only; the chart does not have it. It replaces the providers, so it
 * drains last.
 */
const SANDBOX: ServiceEntry = { name: 'sandbox', hasHttp: true, drainStage: 3 };

/** All services: those of the chart, and the local additions. */
export function readServiceTable(): ServiceTable {
  const { services, workers } = readValues();
  const entries = [
    ...Object.entries(services),
    ...Object.entries(workers).map(([slug, worker]) => [`worker-${slug}`, worker] as const),
  ];
  const production = entries.map(([name, { http = false, needs = [], nodeFlags = [] }]) => ({
    name,
    hasHttp: http,
    hasPublicRole: needs.includes('publicDatabase'),
    drainStage: chooseDrainStage(name, http),
    nodeFlags,
  }));
  return { services: [...production, SANDBOX], routes: PUBLIC_ROUTES };
}

/** One process with all services, and the sandbox beside it. */
export function inOneProcess({ routes }: ServiceTable): ServiceTable {
  return {
    services: [
      {
        name: ONE_PROCESS,
        program: 'all',
        hasHttp: true,
        drainStage: 0,
        nodeFlags: readValues().oneProcess.nodeFlags ?? [],
      },
      SANDBOX,
    ],
    // Its own server finds the service of a path.
    routes: routes.map(({ path }) => ({ path, service: ONE_PROCESS })),
  };
}

function readValues(): Values {
  return parse(readFileSync(join(ROOT_DIR, 'helm', 'tidings', 'values.yaml'), 'utf8')) as Values;
}

/** Order: services that accept work, then those that pass it on, then workers. */
function chooseDrainStage(name: string, hasHttp: boolean): number {
  if (hasHttp) return 0;
  return name.startsWith('worker-') ? 2 : 1;
}
