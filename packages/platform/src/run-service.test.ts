import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { drain } from './drain.ts';

type Line = {
  readonly level: string;
  readonly msg: string;
  readonly healthPort?: number;
  readonly [field: string]: unknown;
};

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** The example service in its own process. */
function startExample(environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'testing', 'example-service.ts')],
    {
      env: {
        URL: 'a://b',
        HEALTH_HOST: '127.0.0.1',
        HEALTH_PORT: '0',
        DRAIN_WAIT_MS: '0',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  child.stdin.on('error', () => undefined);
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    child.emit('line');
  });
  const exited = once(child, 'close') as Promise<[number | null]>;
  return {
    child,
    lines,
    messages: () => lines.map(({ msg }) => msg),
    exitCode: async () => (await exited)[0],
    async line(msg: string): Promise<Line> {
      for (;;) {
        const found = lines.find((line) => line.msg === msg);
        if (found !== undefined) return found;
        // A process ended by a signal has no exit code.
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`the process ended without: ${msg}`);
        await Promise.race([once(child, 'line'), exited]);
      }
    },
  };
}

test('the steps of a drain have one order, and each waits for the one before', async () => {
  const order: string[] = [];
  const step = (name: string) => async () => {
    await Promise.resolve();
    order.push(name);
  };

  await drain({
    notReady: () => void order.push('not ready'),
    waitMs: 0,
    service: {
      disableKeepAlive: () => void order.push('turned away'),
      stopIntake: step('intake stopped'),
      disconnect: step('disconnected'),
    },
    stopTracing: step('traces sent'),
    closeHealth: step('health closed'),
    onStep: (begun) => void order.push(`${begun} …`),
  });

  expect(order).toEqual([
    'not ready',
    'turned away',
    'wait …',
    'stop intake …',
    'intake stopped',
    'disconnect …',
    'disconnected',
    'send traces …',
    'traces sent',
    'close health …',
    'health closed',
  ]);
});

describe('a process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'is ready after its start, drains on %s and exits 0',
    async (signal) => {
      const example = startExample();
      const { healthPort } = await example.line('service ready');
      const ready = await fetch(`http://127.0.0.1:${healthPort}/readyz`);

      example.child.kill(signal);

      expect(await example.exitCode()).toBe(0);
      expect(ready.status).toBe(200);
      expect(example.messages()).toEqual([
        'starting',
        'service ready',
        'draining',
        'intake stopped',
        'disconnected',
        'service stopped',
      ]);
      expect(JSON.stringify(example.lines)).not.toContain('canary');
    },
  );

  test('is not ready and still alive while it drains, and a second signal changes nothing', async () => {
    const example = startExample({ DRAIN_WAIT_MS: '300' });
    const { healthPort } = await example.line('service ready');

    example.child.kill('SIGTERM');
    await example.line('draining');
    example.child.kill('SIGTERM');
    const statuses = await Promise.all(
      ['readyz', 'healthz'].map(
        async (path) => (await fetch(`http://127.0.0.1:${healthPort}/${path}`)).status,
      ),
    );

    expect(statuses).toEqual([503, 200]);
    expect(await example.exitCode()).toBe(0);
  });

  test('that ends itself drains as at a signal, and exits with 1 so that it is started again', async () => {
    const example = startExample({ MODE: 'ends itself' });

    expect(await example.exitCode()).toBe(1);
    expect(example.messages()).toEqual([
      'starting',
      'service ready',
      'draining',
      'intake stopped',
      'disconnected',
      'service stopped',
    ]);
  });

  test('whose service reports failing work is alive but not ready', async () => {
    const example = startExample({ MODE: 'not ready' });
    const { healthPort } = await example.line('service ready');

    const statuses = await Promise.all(
      ['readyz', 'healthz'].map(
        async (path) => (await fetch(`http://127.0.0.1:${healthPort}/${path}`)).status,
      ),
    );

    expect(statuses).toEqual([503, 200]);
  });

  test('that cannot drain ends at its deadline with 1', async () => {
    const example = startExample({ MODE: 'never drains', DRAIN_DEADLINE_MS: '50' });
    await example.line('service ready');

    example.child.kill('SIGTERM');

    expect(await example.exitCode()).toBe(1);
    expect(example.lines.at(-1)).toMatchObject({
      msg: 'drain deadline reached',
      step: 'stop intake',
    });
  });

  test('with a configuration that is not valid exits 1 and names all problems in one line', async () => {
    const example = startExample({ URL: '', SIZE: '10', LOG_LEVEL: 'canary' });

    expect(await example.exitCode()).toBe(1);
    expect(example.lines).toMatchObject([
      {
        level: 'error',
        service: 'example',
        msg: 'the configuration is not valid',
        problems: [
          'URL is missing: Where it is.',
          'SIZE must be <= 9',
          'LOG_LEVEL must be equal to one of the allowed values: debug, info, warn, error',
        ],
      },
    ]);
    expect(JSON.stringify(example.lines)).not.toContain('canary');
  });

  test('whose start fails exits 1 and logs the reason', async () => {
    const example = startExample({ MODE: 'fails' });

    expect(await example.exitCode()).toBe(1);
    expect(example.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'start failed',
      err: { message: 'the store is not there' },
    });
  });

  test('that gets a stop signal during its start finishes the work that it may have begun', async () => {
    const example = startExample({ MODE: 'starts slowly' });
    await example.line('starting');

    example.child.kill('SIGTERM');

    expect(await example.exitCode()).toBe(0);
    expect(example.messages()).toEqual([
      'starting',
      'service ready',
      'draining',
      'intake stopped',
      'disconnected',
      'service stopped',
    ]);
  });

  test('whose start hangs is not ready and exits soon after a stop signal', async () => {
    const example = startExample({ MODE: 'hangs' });
    await example.line('starting');

    example.child.kill('SIGTERM');

    expect(await example.exitCode()).toBe(0);
    expect(example.messages()).toEqual(['starting', 'stopped while starting']);
  });

  test('with an unhandled rejection logs it and exits 1', async () => {
    const example = startExample({ MODE: 'rejects later' });

    expect(await example.exitCode()).toBe(1);
    expect(example.lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'unhandled rejection',
      err: { message: 'a bug' },
    });
  });

  test('whose event loop turns no more ends itself, where that is wanted', async () => {
    const example = startExample({ MODE: 'never turns', WATCHDOG_MS: '1000' });

    await example.exitCode();

    expect(example.child.signalCode).toBe('SIGKILL');
    expect(example.lines.at(-1)).toMatchObject({
      level: 'fatal',
      service: 'example',
      msg: 'the event loop has not turned, the process ends',
    });
  });

  test('that was frozen for longer than its watchdog waits goes on', async () => {
    const example = startExample({ WATCHDOG_MS: '2500' });
    const { healthPort } = await example.line('service ready');

    example.child.kill('SIGSTOP');
    await delay(3_500);
    example.child.kill('SIGCONT');

    await delay(1_000);
    expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200);
  });
});
