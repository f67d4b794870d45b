export type Flags = {
  /** Each service in its own process, with Kafka and Redis. */
  readonly hasKafka: boolean;
  readonly hasDemo: boolean;
  readonly isReset: boolean;
  readonly isHelp: boolean;
  /** Undefined: the usual one, or the next free one. */
  readonly port: number | undefined;
  /** The service that restarts when its sources change. */
  readonly watched: string | undefined;
};

export const USAGE: string;
export function parseFlags(
  args: readonly string[],
  env?: Readonly<Record<string, string | undefined>>,
): Flags;
