import { expect, test } from '@jest/globals';
import { connectionsOf, poolNameOf } from './connections.ts';
import { STAGES } from './service.ts';

const services = STAGES.flat().map(({ name }) => name);

/** The size of each pool: the largest share of its services. */
function poolSizes(total: number): Record<string, number> {
  const sizes: Record<string, number> = { 'tidings-keys': 2 };
  for (const name of services) {
    const pool = poolNameOf(name);
    sizes[pool] = Math.max(sizes[pool] ?? 0, connectionsOf(name, total));
  }
  return sizes;
}

test('the pools of 20 connections', () => {
  expect(poolSizes(20)).toEqual({
    tidings: 8,
    'tidings-gateway': 4,
    'tidings-workers': 6,
    'tidings-keys': 2,
  });
  expect(['gateway-keys', 'client-api-keys', 'api-bus', 'api-lock'].map(poolNameOf)).toEqual([
    'tidings-keys',
    'tidings-keys',
    'tidings-bus',
    'tidings-lock',
  ]);
});

test.each(Array.from({ length: 191 }, (_, index) => index + 10))(
  'all pools together have %i connections, each at least 2',
  (total) => {
    const sizes = Object.values(poolSizes(total));

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
  },
);

test('the sweeps of campaigns and automations plan as the workers do, and share their connections', () => {
  expect(['campaigns-sweeps', 'automation-engine'].map(poolNameOf)).toEqual([
    'tidings-workers',
    'tidings-workers',
  ]);
});

test('the api, the scheduler and automations leave connections to the services beside them', () => {
  expect(connectionsOf('api', 20)).toBe(4);
  expect(connectionsOf('scheduler', 20)).toBe(4);
  expect(connectionsOf('campaigns', 20)).toBe(8);
  expect(connectionsOf('automation-engine', 20)).toBe(3);
  expect(connectionsOf('worker-sms', 20)).toBe(6);
});
