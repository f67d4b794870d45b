import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT_DIR } from '../home.ts';
import type { Route } from '../routes.ts';

export type ServiceEntry = {
  readonly name: string;
  /** The service whose code it runs, where that is not its name: one of several of a kind. */
  readonly program?: string;
  /** Whether it answers requests on a port of its own, beside that of its health. */
  readonly hasHttp: boolean;
  /** Whether its role in the database is the one with fewer rights. */
  readonly hasPublicRole?: boolean;
  /** Services drain stage by stage, so that the work each stage hands on is still taken. */
  readonly drainStage: number;
  /** Flags of its node process. */
  readonly nodeFlags?: readonly string[];
};

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
  /** By the channel's slug. */
  readonly workers: Readonly<Record<string, Entry>>;
  readonly routes: readonly Route[];
};

/** For trying and testing only, so the chart does not know it. It stands for the providers and is therefore the last to go. */
const SANDBOX: ServiceEntry = { name: 'sandbox', hasHttp: true, drainStage: 3 };

/**
 * The services of a production installation, as the chart lists them, and what stands beside them on one machine.
 * @throws when a route names a service that the table does not have
 */
export function readServiceTable(): ServiceTable {
  const { services, workers, routes } = parse(
    readFileSync(join(ROOT_DIR, 'helm', 'tidings', 'values.yaml'), 'utf8'),
  ) as Values;
  for (const { path, service } of routes) {
    if (services[service]?.http !== true)
      throw new Error(
        `values.yaml: the route ${path} leads to ${service}, which is no service with http.`,
      );
  }
  const entries = [
    ...Object.entries(services),
    ...Object.entries(workers).map(([slug, worker]) => [`worker-${slug}`, worker] as const),
  ];
  const production = entries.map(([name, { http = false, needs = [], nodeFlags = [] }]) => ({
    name,
    hasHttp: http,
    hasPublicRole: needs.includes('publicDatabase'),
    drainStage: drainStageOf(name, http),
    nodeFlags,
  }));
  return { services: [...production, SANDBOX], routes };
}

/** First those that let work in, then those that pass it on, then those that hand it to providers. */
function drainStageOf(name: string, hasHttp: boolean): number {
  if (hasHttp) return 0;
  return name.startsWith('worker-') ? 2 : 1;
}
