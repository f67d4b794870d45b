import { parseArgs } from 'node:util';

export type Options = {
  /** Brings the image that is named behind it into the cluster. */
  readonly load: string;
  /** An address of this machine that pods can reach. */
  readonly host: string;
  /** Image with Node 24 to build on; the Dockerfile's own when absent. */
  readonly base?: string;
  /** Images of the evaluation's stores; the chart's own when absent. */
  readonly stores: Readonly<Partial<Record<'postgres' | 'kafka' | 'valkey', string>>>;
  /** Names of the rows that are run; all when empty. */
  readonly rows: readonly string[];
};

export const USAGE = `Usage: npm run test:cluster -- --load 'kind load docker-image' --host ADDRESS [--base IMAGE] [--postgres IMAGE] [--kafka IMAGE] [--valkey IMAGE] [row …]
  --load     a command that brings the image named behind it into the cluster
  --host     an address of this machine that pods can reach: the stores are there, and what stands for the providers
  --base     an image with Node 24 to build on
  --postgres, --kafka, --valkey   the evaluation's stores, where the cluster cannot fetch the official images`;

/** What the command line says; null where it cannot be. */
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
    return null; // An option that nobody knows.
  }
}
