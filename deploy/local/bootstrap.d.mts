/** What is known of the machine; by default it is asked. */
export type StoreFacts = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What a program prints about its version; undefined when it cannot be run. */
  readonly versionOf?: (command: string, args: readonly string[]) => string | undefined;
  readonly isFetched?: (what: 'kafka' | 'redis') => boolean;
};
export type MachineFacts = StoreFacts & {
  readonly hasKafka: boolean;
  readonly nodeVersion?: string;
};

export function findMissing(facts: MachineFacts): readonly string[];
export function findMissingStores(
  facts?: StoreFacts,
): Readonly<Record<'kafka' | 'redis', readonly string[]>>;
export const START_FLAGS: readonly string[];
