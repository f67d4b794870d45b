import { describe, expect, test } from '@jest/globals';
import type { Logger } from './logger.ts';
import { createServiceGroup, type Stages } from './service-group.ts';
import type { Service, ServiceContext } from './service.ts';

/** A group whose log lines are `service: message`. */
function createGroup(stages: Stages) {
  const lines: string[] = [];
  const group = createServiceGroup(stages, {
    contextOf: (name) => {
      const log = (message: string) => void lines.push(`${name}: ${message}`);
      return {
        logger: { info: log, warn: log, error: log } as unknown as Logger,
      } as ServiceContext;
    },
    onStarted: (logger) => logger.info('started'),
    onFailed: (logger, error) => logger.error(String(error)),
  });
  return { group, lines };
}

const entry = (name: string, service: Partial<Service> = {}) => ({
  name,
  start: () =>
    Promise.resolve({
      stopIntake: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      ...service,
    }),
});
const hanging = (name: string) => ({ name, start: () => new Promise<Service>(() => undefined) });

describe('the drain of several services', () => {
  /** Writes when each service begins and ends to drain; `late` ends after several turns. */
  function createDraining() {
    const order: string[] = [];
    const draining = (name: string, turns = 0) => {
      const step = (what: string) => async () => {
        order.push(`${name} ${what}`);
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        order.push(`${name} ${what} done`);
      };
      return entry(name, { stopIntake: step('stop'), disconnect: step('disconnect') });
    };
    return { order, draining };
  }

  test('a stage begins when all services of the stage before have finished', async () => {
    const { order, draining } = createDraining();
    const { group } = createGroup([
      [draining('gateway', 5), draining('api')],
      [draining('worker')],
    ]);
    await group.start();

    await group.stopIntake();

    expect(order).toEqual([
      'gateway stop',
      'api stop',
      'api stop done',
      'gateway stop done',
      'worker stop',
      'worker stop done',
    ]);
  });

  test('no service disconnects before the last one has stopped', async () => {
    const { order, draining } = createDraining();
    const { group } = createGroup([[draining('gateway')], [draining('worker', 3)]]);
    await group.start();

    await group.stopIntake();
    await group.disconnect();

    expect(order.indexOf('worker stop done')).toBeLessThan(order.indexOf('gateway disconnect'));
    expect(order.at(-1)).toBe('worker disconnect done');
  });

  test('a service that has not started is left out', async () => {
    const { order, draining } = createDraining();
    const { group } = createGroup([[hanging('api')], [draining('worker')]]);
    void group.start();
    await Promise.resolve();
    await Promise.resolve();

    await group.stopIntake();

    expect(group.hasStarted()).toBe(true);
    expect(order).toEqual(['worker stop', 'worker stop done']);
  });
});

describe('the start of several services', () => {
  test('begins all at once, and says which ones have started', async () => {
    const { group, lines } = createGroup([[entry('api')], [entry('worker')]]);

    await group.start();

    expect(lines).toEqual(['api: started', 'worker: started']);
  });

  test('fails with its first failure, named by its service', async () => {
    const failing = { name: 'api', start: () => Promise.reject(new Error('no port')) };
    const { group, lines } = createGroup([[failing], [hanging('worker')]]);

    await expect(group.start()).rejects.toThrow('no port');
    expect(lines).toEqual(['api: Error: no port']);
  });
});

describe('readiness and liveness of several services', () => {
  test('need every service; each change is logged once, by its service', async () => {
    const state = { isReady: true, isAlive: true };
    const { group, lines } = createGroup([
      [entry('api', { isReady: () => state.isReady })],
      [entry('worker', { isAlive: () => state.isAlive })],
    ]);
    expect([group.isReady(), group.isAlive()]).toEqual([false, true]);
    await group.start();
    lines.length = 0;
    expect([group.isReady(), group.isAlive()]).toEqual([true, true]);

    state.isReady = false;
    state.isAlive = false;
    const failed = [1, 2].flatMap(() => [group.isReady(), group.isAlive()]);
    state.isReady = true;
    state.isAlive = true;
    const recovered = [1, 2].flatMap(() => [group.isReady(), group.isAlive()]);

    expect(failed).toEqual([false, false, false, false]);
    expect(recovered).toEqual([true, true, true, true]);
    expect(lines).toEqual([
      'api: the service is not ready, so the process is not ready',
      'worker: the service makes no progress: the process is not alive',
      'api: the service is ready again',
      'worker: the service makes progress again',
    ]);
  });

  test('of one service are logged by the service that asks', async () => {
    const { group, lines } = createGroup([[entry('api', { isReady: () => false })]]);
    await group.start();
    lines.length = 0;

    expect(group.isReady()).toBe(false);
    expect(lines).toEqual([]);
  });
});
