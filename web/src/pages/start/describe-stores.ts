import type { Overview } from '../../api/types.ts';

const NAMES = { postgres: 'Postgres', kafka: 'Kafka', redis: 'Redis' } as const;

/** A sentence about what the installation runs on. Without Redis it is one process. */
export function describeStores(runsOn: Overview['runsOn']): string {
  const names = runsOn.map((store) => NAMES[store]);
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
  return runsOn.includes('redis')
    ? `This installation runs on ${list}.`
    : `This installation is one process on ${list}.`;
}
