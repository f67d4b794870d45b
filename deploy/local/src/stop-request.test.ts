import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const MODULE = new URL('./stop-request.ts', import.meta.url).href;

/** A program that the start program runs: it has a channel to it. */
function run(code: string) {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', `import { aborted, onStopRequest } from '${MODULE}';\n${code}`],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return { child, exitCode: async () => (await exited)[0] };
}

test('a program that is done ends, though it listens for a request to stop', async () => {
  const { exitCode } = run('onStopRequest(); process.exitCode = 7;');

  expect(await exitCode()).toBe(7);
});

test('a program that works stops when its parent has gone', async () => {
  const { child, exitCode } = run(`
    const signal = onStopRequest();
    setInterval(() => undefined, 1_000);
    process.send('works');
    await aborted(signal);
    process.exit(3);`);
  await once(child, 'message');

  child.disconnect();

  expect(await exitCode()).toBe(3);
});
