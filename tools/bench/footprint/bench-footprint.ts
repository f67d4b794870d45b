import { HOME_DIR, listProcesses } from '@tidings/local';
import {
  readOwnProportionalBytes,
  readProportionalBytes,
} from '../installation/proportional-memory.ts';
import { mebibytes, renderPart, type Figure } from '../report/figures.ts';

const GOALS: Readonly<Record<string, number>> = { tidings: 250, sandbox: 50 };
/** It starts all others, so they are its children. */
const START = 'the start program';

/** Prints the memory (PSS) of each process that `npm start` runs in this checkout, and their sum. */
export function benchFootprint(): void {
  const { owner, started } = listProcesses(HOME_DIR);
  if (owner === undefined) {
    console.error('Tidings is not running here: start it with "npm start" in another terminal.');
    process.exit(1);
  }
  const bytes = new Map([
    [START, readOwnProportionalBytes(owner.pid)],
    ...started.map(({ name, pid }) => [name, readProportionalBytes(pid)] as const),
  ]);
  const sum = [...bytes.values()].reduce((total, own) => total + own, 0);
  const figures = [...bytes, ['all together', sum] as const].map(([name, own]): Figure => {
    const goal = GOALS[name];
    return {
      name,
      value: mebibytes(own),
      unit: 'mebibytes',
      ...(goal !== undefined && { goal: { atMost: goal } }),
    };
  });
  console.log(renderPart({ title: 'Memory of npm start (PSS)', figures, data: undefined }));
}
