import { expect, test } from '@jest/globals';
import { tmpdir } from 'node:os';
import { postgresMemory, readMachine, smallPostgres } from './postgres-memory.ts';

const GIB = 1024 ** 3;

test.each([
  [2, 10, '256MB', '1024MB'],
  [16, 200, '2048MB', '8192MB'],
  [256, 4000, '4096MB', '8192MB'],
  [0.5, 1, '128MB', '256MB'],
])(
  'with %d GiB of memory and %d GiB of free disk: shared_buffers %s, max_wal_size %s',
  (memory, disk, sharedBuffers, maxWalSize) => {
    expect(postgresMemory({ memoryBytes: memory * GIB, diskFreeBytes: disk * GIB })).toMatchObject({
      shared_buffers: sharedBuffers,
      max_wal_size: maxWalSize,
    });
  },
);

test.each([
  [0.5, '256MB'],
  [2.4, '256MB'],
  [5, '512MB'],
  [19.9, '2037MB'],
  [20, '2048MB'],
  [4000, '2048MB'],
])('with %d GiB of free disk, one process: max_wal_size %s', (disk, maxWalSize) => {
  expect(smallPostgres({ diskFreeBytes: disk * GIB })).toMatchObject({ max_wal_size: maxWalSize });
});

test('no form compresses full pages by pglz, the one method of this build', () => {
  const machine = { memoryBytes: 16 * GIB, diskFreeBytes: 200 * GIB };

  expect([postgresMemory(machine), smallPostgres(machine)]).toEqual([
    expect.objectContaining({ wal_compression: 'off' }),
    expect.objectContaining({ wal_compression: 'off' }),
  ]);
});

test('the machine has memory and a free disk', () => {
  const { memoryBytes, diskFreeBytes } = readMachine(tmpdir());

  expect(memoryBytes).toBeGreaterThan(GIB / 8);
  expect(Number.isInteger(diskFreeBytes)).toBe(true);
});
