/** A record to append. */
export type NewRecord = {
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/** A record as it is read. */
export type LogRecord = NewRecord & {
  readonly partition: number;
  readonly offset: bigint;
};

export type Position = { readonly partition: number; readonly offset: bigint };
