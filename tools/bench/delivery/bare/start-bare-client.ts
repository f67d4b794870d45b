import { join } from 'node:path';
import { startChild } from '../../child/start-child.ts';
import type { BareResult } from './bare-client.ts';
import type { BarePlan } from './clients/client.ts';

/** Runs the bare client in its own process. */
export async function runBareClient(plan: BarePlan): Promise<BareResult> {
  const child = startChild<BarePlan, BareResult>(join(import.meta.dirname, 'bare-client.ts'));
  try {
    return await child.ask(plan);
  } finally {
    child.stop();
  }
}
