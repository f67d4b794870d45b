// What a test file needs besides Node, git and Postgres. Plain JavaScript because `npm test` reads it
// before Node 24 is installed.

import { spawnSync } from 'node:child_process';
import { findMissingStores } from '../../deploy/local/bootstrap.mjs';
import { readPragma } from './pragma.mjs';

/** A machine with Node alone does not have these. */
const NEEDS = ['kafka', 'redis', 'curl'];

/** What this machine lacks for each need: sentences. */
export function findLacks() {
  const { status } = spawnSync('curl', ['--version'], { stdio: 'ignore' });
  const curl = status === 0 ? [] : ['curl was not found: install it.'];
  return { ...findMissingStores(), curl };
}

/**
 * The needs in the first comment of a test file: `@needs kafka redis`.
 * @throws if there is no such need
 */
export function needsOf(source) {
  const needs = readPragma(source, 'needs') ?? [];
  const unknown = needs.find((need) => !NEEDS.includes(need));
  if (unknown !== undefined)
    throw new Error(`@needs ${unknown}: it is none of ${NEEDS.join(', ')}`);
  return needs;
}
