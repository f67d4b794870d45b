import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';

const MIB = 1024 ** 2;

/**
 * The build from npm has no LZ4. `on` is pglz: right after a checkpoint, with a million users, an
 * event took 89 to 100 µs of Postgres instead of 23 to 27, for about the same WAL.
 */
const WAL_COMPRESSION = 'off';

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
    max_wal_size: maxWalSize(diskFreeBytes, { max: 8192 }),
    checkpoint_timeout: '15min',
    wal_compression: WAL_COMPRESSION,
  };
}

/** For one process with all services: about 50 MiB with 30 connections, 140 MiB under load. */
export function smallPostgres({
  diskFreeBytes,
}: Pick<Machine, 'diskFreeBytes'>): Record<string, string> {
  return {
    max_connections: '50',
    shared_buffers: '64MB',
    wal_buffers: '2MB',
    max_wal_size: maxWalSize(diskFreeBytes, { max: 2048 }),
    wal_compression: WAL_COMPRESSION,
    work_mem: '2MB',
    maintenance_work_mem: '32MB',
    autovacuum_max_workers: '1',
    max_parallel_workers: '0',
    jit: 'off',
    io_method: 'sync',
  };
}

/**
 * WAL is kept up to about this size: a tenth of the free disk. At least 256 MB, or a few seconds of
 * load would cause a checkpoint.
 */
function maxWalSize(diskFreeBytes: number, { max }: { readonly max: number }): string {
  return megabytes(diskFreeBytes / 10, { min: 256, max });
}

function megabytes(
  bytes: number,
  { min, max }: { readonly min: number; readonly max: number },
): string {
  return `${Math.min(Math.max(Math.floor(bytes / MIB), min), max)}MB`;
}
