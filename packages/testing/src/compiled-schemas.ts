import type { SpawnedService } from './spawn-service.ts';

/** The environment of a service that logs each schema that it compiles. */
export const LOGS_COMPILATIONS = {
  NODE_OPTIONS: `--import=${import.meta.resolve('@tidings/validation/testing/log-compilations')}`,
} as const;

/** How many schemas it has compiled so far. */
export function countCompiledSchemas({ messages }: Pick<SpawnedService, 'messages'>): number {
  return messages.filter((message) => message === 'schema compiled').length;
}
