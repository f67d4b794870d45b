export type MachineFacts = {
  readonly hasKafka: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion?: string;
  /** What a program prints about its version; undefined when it cannot be run. */
  readonly versionOf?: (command: string, args: readonly string[]) => string | undefined;
  readonly isFetched?: (what: 'kafka' | 'redis') => boolean;
};

export function findMissing(facts: MachineFacts): readonly string[];
