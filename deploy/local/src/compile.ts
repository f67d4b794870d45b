import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { START_FLAGS } from '../bootstrap.mjs';
import { ROOT_DIR } from './home.ts';
import { readOneProcess } from './services/read-service-table.ts';
import type { ServiceEntry } from './services/table.ts';

/** V8 flags, and what is run with them. */
type Program = readonly [flags: readonly string[], command: readonly string[]];

const service = ({ name, program = name, nodeFlags = [] }: ServiceEntry): Program => [
  nodeFlags,
  [join('services', program, 'src', 'main.ts')],
];

/** Without settings, each loads its code and ends. */
const PROGRAMS: readonly Program[] = [
  [START_FLAGS, [join('deploy', 'local', 'src', 'main.ts'), '--help']],
  [[], [join('deploy', 'local', 'src', 'helper', 'main.ts')]],
  ...readOneProcess().services.map(service),
];

/** For a program that does not end by itself: it compiles when it is started. */
const TIMEOUT_MS = 60_000;

const { PATH, NODE_COMPILE_CACHE } = process.env;
for (const [flags, command] of PROGRAMS)
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, ...command], {
    cwd: ROOT_DIR,
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: 'ignore',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
