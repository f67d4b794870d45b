import type { Row } from './row.ts';
import { drain } from './rows/drain.ts';
import { engines } from './rows/engines.ts';
import { evaluation } from './rows/evaluation.ts';
import { helmTest } from './rows/helm-test.ts';
import { image } from './rows/image.ts';
import { install } from './rows/install.ts';
import { kill } from './rows/kill.ts';
import { notes } from './rows/notes.ts';
import { scaling } from './rows/scaling.ts';
import { uninstall } from './rows/uninstall.ts';
import { rollback, upgrade } from './rows/upgrade.ts';

/** In the order they run; each continues from the state of the previous one. */
export const ROWS: readonly Row[] = [
  image,
  install,
  helmTest,
  notes,
  scaling,
  engines,
  upgrade,
  rollback,
  drain,
  kill,
  uninstall,
  evaluation,
];
