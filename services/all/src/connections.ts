/** Connections that gateway and client-api have for the look-up of keys. */
const KEYS = 2;
const POOL_MIN = 2;

/** Beside the workers. */
const PLANNED_BY_KEYS: ReadonlySet<string> = new Set(['campaigns-sweeps', 'automation-engine']);

/** The largest pool is for the services that have slow statements and long transactions. */
const SHARES = { gateway: 0.2, workers: 0.3 } as const;

/**
 * Services of one pool name share a pool. The gateway has its own, because Postgres cancels its
 * statements earlier, workers, the sweeps of campaigns and automations because their statements need
 * other plans, and keys because their look-ups must not wait for other statements.
 */
export function poolNameOf(user: string): string {
  const kind = /-(keys|bus|lock)$/.exec(user)?.[1];
  if (kind !== undefined) return `tidings-${kind}`;
  if (user.startsWith('worker-') || PLANNED_BY_KEYS.has(user)) return 'tidings-workers';
  return user === 'gateway' ? 'tidings-gateway' : 'tidings';
}

/**
 * How many of `total` connections a service may use at once. The pools together have `total`.
 *
 * The api, the scheduler and automations may use half of their pool: their statements may take
 * seconds, and the consumers, campaigns and workers must go on beside them.
 */
export function connectionsOf(service: string, total: number): number {
  const gateway = atLeast(Math.round(total * SHARES.gateway));
  const workers = atLeast(Math.round(total * SHARES.workers));
  const others = atLeast(total - KEYS - gateway - workers);
  switch (poolNameOf(service)) {
    case 'tidings-gateway':
      return gateway;
    case 'tidings-workers':
      return service === 'automation-engine' ? halfOf(workers) : workers;
    default:
      return ['api', 'scheduler'].includes(service) ? halfOf(others) : others;
  }
}

/** Two: one transaction of client-api (`visits`) needs a second connection while it is open. */
const atLeast = (connections: number): number => Math.max(POOL_MIN, connections);
const halfOf = (connections: number): number => atLeast(Math.floor(connections / 2));
