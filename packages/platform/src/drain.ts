import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.ts';

export type DrainStep = 'wait' | 'stop intake' | 'disconnect' | 'send traces' | 'close health';

/** Runs the steps of a drain in order. `onStep` is called at the start of each. */
export async function drain(steps: {
  readonly notReady: () => void;
  readonly waitMs: number;
  readonly service: Service;
  readonly stopTracing: () => Promise<void>;
  readonly closeHealth: () => Promise<void>;
  readonly onStep: (step: DrainStep) => void;
}): Promise<void> {
  const { onStep } = steps;
  steps.notReady();
  steps.service.disableKeepAlive?.();
  onStep('wait');
  await delay(steps.waitMs);
  onStep('stop intake');
  await steps.service.stopIntake();
  onStep('disconnect');
  await steps.service.disconnect();
  onStep('send traces');
  await steps.stopTracing();
  onStep('close health');
  await steps.closeHealth();
}
