import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC_ROUTES } from '@tidings/api-spec/public-routes';
import { parse } from 'yaml';
import { ROOT_DIR } from '../home.ts';
import { ONE_PROCESS, SANDBOX, type ServiceTable } from './table.ts';

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

/** All services: those of the chart, and the local additions. */
export function readServiceTable(): ServiceTable {
  const { services, workers } = readValues();
  const entries = [
    ...Object.entries(services),
    ...Object.entries(workers).map(([slug, worker]) => [`worker-${slug}`, worker] as const),
  ];
  const production = entries.map(([name, { http = false, needs = [], nodeFlags = [] }]) => {
    const isPublic = needs.includes('publicDatabase');
    return {
      name,
      hasHttp: http,
      // Not the API: it counts for a question about all persons, and is asked by people.
      isWaitedFor: isPublic,
      hasPublicRole: isPublic,
      drainStage: chooseDrainStage(name, http),
      nodeFlags,
    };
  });
  return { services: [...production, SANDBOX], routes: PUBLIC_ROUTES };
}

/** One process with all services, and the sandbox beside it. */
export function readOneProcess(): ServiceTable {
  const all = {
    name: ONE_PROCESS,
    program: 'all',
    hasHttp: true,
    isWaitedFor: true,
    drainStage: 0,
    nodeFlags: readValues().oneProcess.nodeFlags ?? [],
  };
  return {
    services: [all, SANDBOX],
    // Its own server finds the service of a path.
    routes: PUBLIC_ROUTES.map(({ path }) => ({ path, service: ONE_PROCESS })),
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
