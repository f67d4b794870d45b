import { open, unlink, type FileHandle } from 'node:fs/promises';

const READ_CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** An append-only file of lines. */
export class Segment {
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes = 0;
  #lines = 0;
  #isOpen = true;
  #isSound = true;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async open(path: string): Promise<Segment> {
    return new Segment(path, await open(path, 'a+', 0o600));
  }

  get lines(): number {
    return this.#lines;
  }

  /** False if the file ends with an incomplete line; nothing may be appended then. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /**
   * Reads the file from its start and passes each line to `accept`, which returns false for an
   * incomplete line. Cuts off what follows the last complete line: it was never acknowledged,
   * because the process died while writing.
   * @returns the number of bytes cut off
   */
  async replay(accept: (line: Buffer, offset: number) => boolean): Promise<number> {
    const { size } = await this.#file.stat();
    let rest: Buffer = Buffer.alloc(0);
    for (let position = 0; position < size;) {
      const { buffer, bytesRead } = await this.#file.read(
        Buffer.allocUnsafe(READ_CHUNK_BYTES),
        0,
        READ_CHUNK_BYTES,
        position,
      );
      if (bytesRead === 0) break;
      position += bytesRead;
      const chunk = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const taken = this.#replayChunk(chunk, accept);
      if (taken === 'damaged') break;
      rest = chunk.subarray(taken);
    }
    if (this.#bytes < size) await this.#file.truncate(this.#bytes);
    return size - this.#bytes;
  }

  #replayChunk(
    chunk: Buffer,
    accept: (line: Buffer, offset: number) => boolean,
  ): number | 'damaged' {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (!accept(chunk.subarray(start, end), this.#bytes)) return 'damaged';
      this.#bytes += end + 1 - start;
      this.#lines += 1;
      start = end + 1;
    }
    return start;
  }

  /**
   * Appends lines and waits until they are on disk; returns the offset of each, in order. A failed
   * write leaves nothing of the batch.
   */
  async append(lines: readonly Buffer[]): Promise<number[]> {
    const offsets: number[] = [];
    let end = this.#bytes;
    for (const line of lines) {
      offsets.push(end);
      end += line.length + 1;
    }
    try {
      await this.#file.appendFile(
        Buffer.concat(lines.flatMap((line) => [line, Buffer.of(NEWLINE)])),
      );
      await this.#file.datasync();
    } catch (error) {
      await this.#file.truncate(this.#bytes).catch(() => {
        this.#isSound = false;
      });
      throw error;
    }
    this.#bytes = end;
    this.#lines += lines.length;
    return offsets;
  }

  /** The bytes of one line; undefined if the file was removed. */
  async read(offset: number, bytes: number): Promise<Buffer | undefined> {
    if (!this.#isOpen) return undefined;
    const { buffer } = await this.#file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset);
    return buffer;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#file.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await unlink(this.#path);
  }
}
