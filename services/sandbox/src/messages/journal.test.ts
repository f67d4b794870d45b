import { createLogger } from '@tidings/platform';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Journal } from './journal.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidings-journal-'));
});
afterEach(() => rm(dir, { recursive: true }));

const open = (
  options: { linesMax?: number; replayed?: string[]; onDropped?: (lines: number) => void } = {},
) =>
  Journal.open({
    dir,
    linesMax: options.linesMax ?? 100,
    logger: createLogger('test', 'silent'),
    onReplayed: (line) => {
      options.replayed?.push(line.toString());
      return true;
    },
    onDropped: options.onDropped ?? (() => {}),
  });

test('concurrent lines keep their order, each at its own position', async () => {
  const journal = await open();
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at}`);

  const places = await Promise.all(lines.map((line) => journal.append(Buffer.from(line))));
  const read = await Promise.all(
    places.map(({ segment, offset, bytes }) => segment.read(offset, bytes)),
  );
  await journal.close();

  expect(read.map(String)).toEqual(lines);
});

test('a line longer than the read buffer is replayed completely', async () => {
  const long = 'x'.repeat(3 * 1024 * 1024);
  const journal = await open();
  for (const line of ['first', long, 'last']) await journal.append(Buffer.from(line));
  await journal.close();

  const replayed: string[] = [];
  const again = await open({ replayed });
  await again.close();

  expect(replayed).toEqual(['first', long, 'last']);
});

test('clear removes earlier lines and no later ones', async () => {
  const journal = await open();
  const before = await journal.append(Buffer.from('before'));

  await Promise.all([journal.clear(), journal.append(Buffer.from('with'))]);
  await journal.append(Buffer.from('after'));
  await journal.close();

  expect(await before.segment.read(before.offset, before.bytes)).toBeUndefined();
  const replayed: string[] = [];
  await (await open({ replayed })).close();
  expect(replayed.at(-1)).toBe('after');
  expect(replayed).not.toContain('before');
});

test('files beyond the limit are deleted and reported', async () => {
  let dropped = 0;
  const journal = await open({ linesMax: 20, onDropped: (lines) => (dropped += lines) });

  for (let at = 0; at < 45; at += 1) await journal.append(Buffer.from(`line ${at}`));
  await journal.close();

  const replayed: string[] = [];
  await (await open({ replayed })).close();
  expect(replayed).toHaveLength(45 - dropped);
  expect(replayed.length).toBeLessThanOrEqual(20);
  expect((await readdir(dir)).length).toBeLessThanOrEqual(10);
});
