import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DELIVERY_MUTANTS } from './delivery.ts';
import { INGEST_MUTANTS } from './ingest.ts';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..', '..');

test.each([...DELIVERY_MUTANTS, ...INGEST_MUTANTS])(
  '$name: the text that is changed stands once in $file',
  ({ file, find }) => {
    expect(readFileSync(join(ROOT_DIR, file), 'utf8').split(find)).toHaveLength(2);
  },
);
