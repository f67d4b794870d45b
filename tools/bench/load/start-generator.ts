import { join } from 'node:path';
import { startChild } from '../child/start-child.ts';
import type { LoadPlan, LoadResult } from './plan.ts';

/** A separate process that applies load. */
export interface LoadGenerator {
  /** One plan at a time. @throws if the generator fails or exits */
  run(plan: LoadPlan): Promise<LoadResult>;
  stop(): void;
}

/** `isMeasuring`: see `startChild`. */
export function startGenerator(options: { readonly isMeasuring: boolean }): LoadGenerator {
  const child = startChild<LoadPlan, LoadResult>(
    join(import.meta.dirname, 'generator.ts'),
    options,
  );
  return { run: (plan) => child.ask(plan), stop: () => child.stop() };
}
