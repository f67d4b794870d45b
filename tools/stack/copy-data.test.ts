import { expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyData } from './copy-data.ts';

test.each([
  ['a new home', false],
  ['a home that has its folder for data already', true],
])('the data of a home is copied into %s', (_what, hasData) => {
  const folder = mkdtempSync(join(tmpdir(), 'copy-data-'));
  try {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    mkdirSync(join(from, 'data', 'postgres'), { recursive: true });
    writeFileSync(join(from, 'data', 'postgres', 'PG_VERSION'), '18');
    mkdirSync(hasData ? join(to, 'data') : to, { recursive: true });

    copyData(from, to);

    expect(readdirSync(join(to, 'data'))).toEqual(['postgres']);
    expect(readFileSync(join(to, 'data', 'postgres', 'PG_VERSION'), 'utf8')).toBe('18');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
