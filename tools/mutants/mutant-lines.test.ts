import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { editText } from '../checkouts/edit-text.ts';
import { ANALYTICS_MUTANTS } from './analytics.ts';
import { AUDIENCES_MUTANTS } from './audiences.ts';
import { AUTOMATION_TEXTS_MUTANTS } from './automation-texts.ts';
import { AUTOMATIONS_MUTANTS } from './automations.ts';
import { DELIVERY_MUTANTS } from './delivery.ts';
import { FUNNEL_LEAVES_MUTANTS } from './funnel-leaves.ts';
import { INGEST_MUTANTS } from './ingest.ts';
import { OPEN_CAMPAIGN_MUTANTS } from './open-campaigns.ts';
import { PERSONALISED_MUTANTS } from './personalised.ts';
import { SEGMENTS_MUTANTS } from './segments.ts';
import { TEMPLATES_MUTANTS } from './templates.ts';

const ROOT_DIR = resolve(import.meta.dirname, '..', '..');

const MUTANTS = [
  ...DELIVERY_MUTANTS,
  ...OPEN_CAMPAIGN_MUTANTS,
  ...INGEST_MUTANTS,
  ...SEGMENTS_MUTANTS,
  ...TEMPLATES_MUTANTS,
  ...AUTOMATION_TEXTS_MUTANTS,
  ...PERSONALISED_MUTANTS,
  ...AUDIENCES_MUTANTS,
  ...AUTOMATIONS_MUTANTS,
  ...ANALYTICS_MUTANTS,
  ...FUNNEL_LEAVES_MUTANTS,
];
const TESTS = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT_DIR, encoding: 'utf8' })
  .trim()
  .split('\n');

test.each(MUTANTS)('$name: there are tests for it', ({ tests: { project, pattern } }) => {
  const isOfProject = (path: string) =>
    path.endsWith('.integration.test.ts') === (project === 'integration');

  expect(
    TESTS.filter((path) => isOfProject(path) && new RegExp(pattern, 'u').test(path)),
  ).not.toEqual([]);
});

test.each(MUTANTS)('$name: the text that is changed stands once in $file', (mutant) => {
  const text = readFileSync(join(ROOT_DIR, mutant.file), 'utf8');

  expect(editText(text, mutant)).not.toBe(text);
});
