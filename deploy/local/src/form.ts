import type { BusKind, StackOptions } from './stack/stack.ts';

/**
 * `one-process`: all services in one, with Postgres alone; the sandbox has a process of its own. Else
 * each service has its own process, with Redis, and with Kafka or with their records in Postgres.
 */
export type Form = 'one-process' | `services-on-${BusKind}`;

/** What an installation of this form has beside Postgres. */
export function storesOf(form: Form): StackOptions['has'] {
  return { kafka: form === 'services-on-kafka', redis: form !== 'one-process' };
}
