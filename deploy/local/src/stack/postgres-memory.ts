import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const MIB = 1024 ** 2;

/** What a Postgres on this machine may use. */
export type Machine = { readonly memoryBytes: number; readonly diskFreeBytes: number };

export function readMachine(dataDir: string): Machine {
  const { bavail, bsize } = statfsSync(dataDir);
  // 0: without a limit.
  const limit = process.constrainedMemory() || Infinity;
  return { memoryBytes: Math.min(totalmem(), limit), diskFreeBytes: bavail * bsize };
}

/**
 * Settings for data that is kept. Rare checkpoints write fewer full pages: these are most of the
 * WAL once tables are larger than memory.
 */
export function postgresMemory({ memoryBytes, diskFreeBytes }: Machine): Record<string, string> {
  return {
    // A quarter of what Postgres has: the other services need half of the machine.
    shared_buffers: megabytes(memoryBytes / 8, { min: 128, max: 4096 }),
    // WAL is kept up to about this size. It never takes more than a tenth of the free disk.
    max_wal_size: megabytes(diskFreeBytes / 10, { min: 256, max: 8192 }),
    checkpoint_timeout: '15min',
    wal_compression: 'on',
  };
}

function megabytes(
  bytes: number,
  { min, max }: { readonly min: number; readonly max: number },
): string {
  return `${Math.min(Math.max(Math.floor(bytes / MIB), min), max)}MB`;
}
