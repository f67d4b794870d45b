import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import { UNCOUNTED, WITHOUT_THREADS } from './poisonous-templates.ts';

test.each([...UNCOUNTED, WITHOUT_THREADS])(
  'the text that is changed stands once in $file',
  ({ file, find }) => {
    expect(readFileSync(join(ROOT_DIR, file), 'utf8').split(find)).toHaveLength(2);
  },
);
