import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@tidings/platform';
import { Segment } from './segment.ts';

/** Position of a line on disk. */
export type LinePlace = {
  readonly segment: Segment;
  readonly offset: number;
  readonly bytes: number;
};

export type JournalOptions = {
  readonly dir: string;
  readonly linesMax: number;
  readonly logger: Logger;
  /** Called for each line at start, oldest first; returns false if the line is incomplete. */
  readonly onReplayed: (line: Buffer, place: LinePlace) => boolean;
  /** Called when the oldest lines were dropped because of the limit. */
  readonly onDropped: (lines: number) => void;
};

type Waiting = { readonly reject: (error: unknown) => void };
type Append = Waiting & { readonly line: Buffer; readonly resolve: (place: LinePlace) => void };
type Clear = Waiting & { readonly resolve: () => void };

/** Number of files. Enforcing the limit deletes one file and never rewrites any. */
const SEGMENTS = 10;
const SEGMENT_FILE = /^messages-(\d{9})\.jsonl$/;

/**
 * An append-only journal of lines with group commit. Lines that arrive during a flush are written
 * together next, so that all of them share one `fdatasync`.
 */
export class Journal {
  readonly #options: JournalOptions;
  #segments: Segment[] = [];
  #nextNumber = 1;
  #pending: Append[] = [];
  #clears: Clear[] = [];
  #work: Promise<void> | undefined;

  private constructor(options: JournalOptions) {
    this.#options = options;
  }

  static async open(options: JournalOptions): Promise<Journal> {
    const journal = new Journal(options);
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    for (const name of (await readdir(options.dir)).sort()) {
      const number = SEGMENT_FILE.exec(name)?.[1];
      if (number === undefined) continue;
      journal.#nextNumber = Number(number) + 1;
      await journal.#replay(await Segment.open(join(options.dir, name)));
    }
    await journal.#keepBound();
    return journal;
  }

  /** Resolves when the line is on disk. Lines resolve in the order of the calls. */
  append(line: Buffer): Promise<LinePlace> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ line, resolve, reject });
      this.#work ??= this.#run();
    });
  }

  /** Removes all lines appended before. */
  clear(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#clears.push({ resolve, reject });
      this.#work ??= this.#run();
    });
  }

  /** Completes pending writes; nothing may be appended afterwards. */
  async close(): Promise<void> {
    await this.#work;
    await Promise.all(this.#segments.map((segment) => segment.close()));
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0 || this.#clears.length > 0) {
      const batch = this.#pending;
      const clears = this.#clears;
      this.#pending = [];
      this.#clears = [];
      await settle(batch, () => this.#write(batch));
      await settle(clears, () => this.#removeAll(clears));
    }
    this.#work = undefined;
  }

  async #write(batch: readonly Append[]): Promise<void> {
    if (batch.length === 0) return;
    const segment = await this.#currentSegment();
    const offsets = await segment.append(batch.map(({ line }) => line));
    // Before the lines resolve: a reader that sees the newest line never sees more than the limit.
    await this.#keepBound().catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'the oldest messages cannot be removed');
    });
    for (const [index, { line, resolve }] of batch.entries()) {
      resolve({ segment, offset: offsets[index] ?? 0, bytes: line.length });
    }
  }

  async #removeAll(clears: readonly Clear[]): Promise<void> {
    if (clears.length === 0) return;
    while (this.#segments.length > 0) await this.#segments.shift()?.remove();
    for (const { resolve } of clears) resolve();
  }

  async #currentSegment(): Promise<Segment> {
    const last = this.#segments.at(-1);
    if (last?.isSound && last.lines < Math.ceil(this.#options.linesMax / SEGMENTS)) return last;
    const name = `messages-${String(this.#nextNumber).padStart(9, '0')}.jsonl`;
    const segment = await Segment.open(join(this.#options.dir, name));
    this.#nextNumber += 1;
    this.#segments.push(segment);
    return segment;
  }

  async #keepBound(): Promise<void> {
    const total = () => this.#segments.reduce((sum, segment) => sum + segment.lines, 0);
    while (this.#segments.length > 1 && total() > this.#options.linesMax) {
      const oldest = this.#segments.shift();
      await oldest?.remove();
      this.#options.onDropped(oldest?.lines ?? 0);
    }
  }

  async #replay(segment: Segment): Promise<void> {
    const bytesCut = await segment.replay((line, offset) =>
      this.#options.onReplayed(line, { segment, offset, bytes: line.length }),
    );
    if (bytesCut > 0)
      this.#options.logger.warn(
        { bytesCut },
        'an incomplete line at the end of the journal was dropped',
      );
    this.#segments.push(segment);
  }
}

/** Runs one step of the loop. A failure rejects its waiters; the loop continues. */
async function settle(waiting: readonly Waiting[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}
