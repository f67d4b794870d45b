export type WatchedProcess = {
  readonly name: string;
  /** How the process that runs now ended, once it has. */
  ended(): Promise<string>;
  /** Drains the process that runs now. */
  end(): Promise<void>;
  /** Starts the next one. */
  start(): Promise<void>;
  /** The next change of its sources; undefined: there will be none. */
  changed(): Promise<string | undefined>;
  readonly logFile: string;
  /** Called with a sentence for the person at the console. */
  readonly onLine: (line: string) => void;
};

/**
 * Restarts a process each time one of its sources changes; resolves when the watch is closed. A process that ends by itself
 * stays ended until the next change: its sources are wrong, and a restart would only repeat the fault.
 */
export async function keepCurrent({
  name,
  ended,
  end,
  start,
  changed,
  logFile,
  onLine,
}: WatchedProcess): Promise<void> {
  for (;;) {
    const change = changed();
    const how = await Promise.race([ended(), change.then(() => undefined)]);
    if (how !== undefined)
      onLine(`${name} exited (${how}); it restarts when a source changes. Log: ${logFile}`);
    const file = await change;
    if (file === undefined) return;
    onLine(`${file} changed: restarting ${name}`);
    await end();
    await start();
  }
}
