import type { Mutant } from './run-mutants.ts';

const FOLD = 'packages/folds/src/fold.ts';
const EXACT = { project: 'unit', pattern: 'packages/folds/src/fold-is-exact' } as const;
const ASKED = { project: 'integration', pattern: 'packages/analytics/src/ask-funnel' } as const;

/** Mutants of the rules of funnels. */
export const ANALYTICS_MUTANTS: readonly Mutant[] = [
  {
    name: 'the window excludes its end',
    file: FOLD,
    find: 'if (time - start > windowMs) continue;\n      const isFirst',
    replace: 'if (time - start >= windowMs) continue;\n      const isFirst',
    tests: EXACT,
  },
  {
    name: 'of several events at once the window does not count',
    file: FOLD,
    find: 'if (time - start > windowMs) continue;\n      const last',
    replace: 'const last',
    tests: EXACT,
  },
  {
    name: 'an event serves several steps',
    file: FOLD,
    find: 'for (let level = Math.min(before + 1, steps); level >= 1; level -= 1) {',
    replace: 'for (let level = 1; level <= steps; level += 1) {',
    tests: EXACT,
  },
  {
    name: 'only the first entry counts',
    file: FOLD,
    find: 'values[at] = time;\n        if (before === 0) reached[slot] = 1;',
    replace: 'if (before === 0) [values[at], reached[slot]] = [time, 1];',
    tests: EXACT,
  },
  {
    name: 'events at one instant take no other step',
    file: FOLD,
    find: 'if (other >= 0 && !findsEvent(other, isTried)) continue;',
    replace: 'if (other >= 0) continue;',
    tests: EXACT,
  },
  {
    name: 'events at one instant do not continue each other',
    file: FOLD,
    find: 'const end = level + stepsAtOnce(events, level, steps);',
    replace: 'const end = level + Math.min(1, stepsAtOnce(events, level, steps));',
    tests: EXACT,
  },
  {
    name: 'the time of a step is that since an earlier one',
    file: FOLD,
    find: 'if (level < steps && (isFirst || start >= (values[at + startAt(level)] as number))) {',
    replace: 'if (level < steps && (isFirst || start > (values[at + startAt(level)] as number))) {',
    tests: EXACT,
  },
  {
    name: 'who may still convert is lost',
    file: 'packages/analytics/src/funnel-result.ts',
    find: 'fold.startOf(person, reached) + windowMs >= now',
    replace: 'fold.startOf(person, reached) + windowMs > now',
    tests: { project: 'unit', pattern: 'packages/analytics/src/funnel-result' },
  },
  {
    name: 'events of merged users do not count',
    file: 'packages/folds/src/compile/read-persons.ts',
    find: 'merged.size === 0 ? -1 : merged.find(bytes, offset)',
    replace: '-1',
    tests: ASKED,
  },
  {
    name: 'who was never registered counts',
    file: 'packages/analytics/src/compile/funnel-persons.ts',
    find: "hasVisitors ? 'u.merged_into is null' : 'u.registered_at is not null'",
    replace: "'u.merged_into is null'",
    tests: ASKED,
  },
  {
    name: 'visitors do not count',
    file: 'packages/analytics/src/compile/funnel-persons.ts',
    find: "hasVisitors ? 'u.merged_into is null' : 'u.registered_at is not null'",
    replace: "'u.registered_at is not null'",
    tests: ASKED,
  },
  {
    name: 'what lies ahead counts',
    file: 'packages/folds/src/compile/fold-steps.ts',
    find: 'const end = Math.min(to + windowMs, now + 1);',
    replace: 'const end = to + windowMs;',
    tests: ASKED,
  },
  {
    name: 'entries after the range count',
    file: 'packages/folds/src/compile/fold-steps.ts',
    find: 'const entriesEnd = Math.min(to, now + 1);',
    replace: 'const entriesEnd = Math.min(to + 1, now + 1);',
    tests: ASKED,
  },
];
