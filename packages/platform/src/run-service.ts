import { loadConfig, type ConfigOf, type ConfigSpec } from './config.ts';
import { processConfig, type ProcessConfig } from './process-config.ts';
import { runServices } from './run-services.ts';
import type { ServiceDefinition } from './service.ts';

/** Runs a service in a process of its own. */
export function runService<S extends ConfigSpec>({
  name,
  config,
  start,
}: ServiceDefinition<S>): Promise<void> {
  return runServices({
    name,
    plan(environment) {
      const all = loadConfig({ ...config, ...processConfig }, environment);
      return {
        settings: all as ProcessConfig,
        stages: [[{ name, start: (ctx) => start(all as ConfigOf<S>, ctx) }]],
      };
    },
  });
}
