import { parseArgs } from 'node:util';

export type Options = {
  /** Command that loads an image, appended as its last argument, into the cluster. */
  readonly load: string;
  /** Address of this machine that pods can reach. */
  readonly host: string;
  /** Base image with Node 24; default: the Dockerfile's. */
  readonly base?: string;
  /** Images of the evaluation stores; default: the chart's. */
  readonly stores: Readonly<Partial<Record<'postgres' | 'kafka' | 'valkey', string>>>;
  /** Names of the rows to run; empty: all. */
  readonly rows: readonly string[];
};

export const USAGE = `Usage: npm run test:cluster -- --load 'kind load docker-image' --host ADDRESS [--base IMAGE] [--postgres IMAGE] [--kafka IMAGE] [--valkey IMAGE] [row …]
  --load     command that loads an image (its last argument) into the cluster
  --host     address of this machine that pods can reach; the stores and the sandbox run here
  --base     base image with Node 24
  --postgres, --kafka, --valkey   images of the evaluation stores, if the cluster cannot fetch the official ones`;

/** Parses the command line; null if invalid. */
export function readOptions(words: readonly string[], names: readonly string[]): Options | null {
  try {
    const text = { type: 'string' } as const;
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { load: text, host: text, base: text, postgres: text, kafka: text, valkey: text },
    });
    const { load, host, base, postgres, kafka, valkey } = values;
    if (
      load === undefined ||
      host === undefined ||
      positionals.some((name) => !names.includes(name))
    )
      return null;
    const stores = {
      ...(postgres !== undefined && { postgres }),
      ...(kafka !== undefined && { kafka }),
      ...(valkey !== undefined && { valkey }),
    };
    return { load, host, stores, rows: positionals, ...(base !== undefined && { base }) };
  } catch {
    return null; // Unknown option.
  }
}
