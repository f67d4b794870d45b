import { setTimeout as delay } from 'node:timers/promises';

/** Lets a loop wait until it has work. */
export interface WakeUp {
  wake(): void;
  /**
   * Resolves after `atLeastMs` once `wake` was called since the last wait, at the latest after
   * `atMostMs`.
   */
  wait(times: { readonly atLeastMs: number; readonly atMostMs: number }): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isAwake = false;
  let resolveWait: (() => void) | undefined;
  return {
    wake() {
      isAwake = true;
      resolveWait?.();
    },
    async wait({ atLeastMs, atMostMs }) {
      await delay(atLeastMs);
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, atMostMs - atLeastMs));
          resolveWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      resolveWait = undefined;
      isAwake = false;
    },
  };
}
