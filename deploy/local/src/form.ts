import type { BusKind, StackOptions } from './stack/stack.ts';

/**
 * `one-process`: all services in one, with Postgres alone; the sandbox has a process of its own.
 * `processes-on-…`: the same with Redis, so that further ones may be added beside it. Else each
 * service has its own process, with Redis. Records are in Kafka or in Postgres.
 */
export type Form = 'one-process' | `${'processes' | 'services'}-on-${BusKind}`;

/** Whether all services of this form run in one process. */
export function isInOneProcess(form: Form): boolean {
  return !form.startsWith('services');
}

/** What an installation of this form has beside Postgres. */
export function storesOf(form: Form): StackOptions['has'] {
  return { kafka: form.endsWith('-on-kafka'), redis: form !== 'one-process' };
}
