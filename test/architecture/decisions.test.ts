import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from './source-files.ts';

const FOLDER = join(ROOT_DIR, 'docs', 'decisions');
const files = readdirSync(FOLDER).filter((file) => /^\d{4}-/.test(file));
const STATUS = /^(?:Accepted|Superseded by \[\d{4}\]\(([^)]+)\)[^·]*) · \d{4}-\d{2}-\d{2}$/;

describe('decisions', () => {
  test.each(files)('%s has its number, a status, a date and its parts', (file) => {
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    const [, by] = STATUS.exec(lines[2] ?? '') ?? [undefined, 'no status'];

    expect(lines[0]).toMatch(new RegExp(`^# ${file.slice(0, 4)}\\. `));
    expect([by ?? file].filter((other) => !existsSync(join(FOLDER, other)))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(
      expect.arrayContaining(['## Context', '## Decision', '## Consequences']),
    );
  });

  test('the list names each', () => {
    const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');

    expect(files.filter((file) => !list.includes(`(${file})`))).toEqual([]);
  });
});
