// A rendering thread whose templates may do what no template can: to see how it is ended.

import { engine } from '@tidings/liquid/engine';

engine.registerFilter('never_ends', () => {
  for (;;);
});
engine.registerFilter('fills_the_memory', () => {
  const kept: number[][] = [];
  for (;;) kept.push(Array<number>(1_000_000).fill(kept.length));
});
engine.registerFilter('ends_the_thread', () => process.exit(1));
engine.registerFilter('throws', () => {
  throw new TypeError('a fault of the program');
});

await import('../rendering/render-thread.ts');
