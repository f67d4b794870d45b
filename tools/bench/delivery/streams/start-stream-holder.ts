import { join } from 'node:path';
import { startChild } from '../../child/start-child.ts';
import type { Held, HolderRequest, StreamsPlan } from './stream-holder.ts';

/** Holds open streams in its own process. */
export type StreamHolder = {
  /** Resolves when all are open. @throws if one is rejected */
  open(plan: StreamsPlan): Promise<void>;
  held(): Promise<Held>;
  stop(): void;
};

export function startStreamHolder(): StreamHolder {
  const child = startChild<HolderRequest, Held>(join(import.meta.dirname, 'stream-holder.ts'));
  return {
    async open(plan) {
      await child.ask({ ask: 'open', plan });
    },
    held: () => child.ask({ ask: 'held' }),
    stop: () => child.stop(),
  };
}
