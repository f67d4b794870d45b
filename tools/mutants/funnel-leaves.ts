import type { Mutant } from './run-mutants.ts';

const LEAVES = { project: 'integration', pattern: 'packages/segments/src/leaves-funnels' } as const;
const TAKING = {
  project: 'integration',
  pattern: 'services/campaigns/src/take-snapshots-funnels',
} as const;
const NAMED = {
  project: 'integration',
  pattern: 'services/api/src/routes/funnels/200-seg',
} as const;
const ASKED = { project: 'integration', pattern: 'packages/analytics/src/ask-funnel' } as const;

/** Mutants of the rules of funnels in conditions. */
export const FUNNEL_LEAVES_MUTANTS: readonly Mutant[] = [
  {
    name: 'who dropped out includes who may still go on',
    file: 'packages/folds/src/funnel-state.ts',
    find: "return reached === step && isOpen(fold, person, times) === (state === 'open');",
    replace: 'return reached === step;',
    tests: LEAVES,
  },
  {
    name: 'who dropped out at a step came further',
    file: 'packages/folds/src/funnel-state.ts',
    find: 'return reached === step && isOpen',
    replace: 'return reached >= step && isOpen',
    tests: LEAVES,
  },
  {
    name: 'of given persons entries after the time count',
    file: 'packages/folds/src/compile/fold-given.ts',
    find: 'const steps = time < entriesEnd ? mask : mask & ~1;',
    replace: 'const steps = mask;',
    tests: LEAVES,
  },
  {
    name: 'of given persons events of merged users do not count',
    file: 'packages/folds/src/compile/fold-given.ts',
    find: 'p.id = u.id or p.merged_into = u.id',
    replace: 'p.id = u.id',
    tests: LEAVES,
  },
  {
    name: 'of given persons what lies ahead counts',
    file: 'packages/folds/src/compile/fold-given.ts',
    find: "add(Math.min(to + windowMs, now + 1), 'bigint')",
    replace: "add(to + windowMs, 'bigint')",
    tests: LEAVES,
  },
  {
    name: 'of given persons events at one instant follow each other',
    file: 'packages/folds/src/compile/fold-given.ts',
    find: 'if (time !== instant && masks.length > 0) {',
    replace: 'if (masks.length > 0) {',
    tests: ASKED,
  },
  {
    name: 'a condition counts who entered at the beginning of its time',
    file: 'packages/segments/src/fold-leaves.ts',
    find: 'from: (after ?? 0) + 1,',
    replace: 'from: after ?? 0,',
    tests: LEAVES,
  },
  {
    name: 'a campaign asks the funnel of its condition as it is later',
    file: 'packages/segments/src/segment-nesting.ts',
    find: '? condition : { ...leaf, funnel };',
    replace: '? condition : condition;',
    tests: TAKING,
  },
  {
    name: 'a condition has any number of funnels',
    file: 'packages/segments/src/segment-nesting.ts',
    find: 'if (new Set(funnels).size > LIMITS.conditionFunnelsMax)',
    replace: 'if (new Set(funnels).size > 100)',
    tests: { project: 'unit', pattern: 'packages/segments/src/read-condition' },
  },
  {
    name: 'a funnel that a segment names may be deleted',
    file: 'packages/analytics/src/funnels.ts',
    find: 'if (uses === null || isUsed(uses)) return uses;',
    replace: 'if (uses === null) return uses;',
    tests: NAMED,
  },
  {
    name: 'a funnel is deleted while a condition that names it is stored',
    file: 'packages/analytics/src/funnels.ts',
    find: 'await lockSegments(sql, which.applicationId);',
    replace: '',
    tests: NAMED,
  },
  {
    name: 'too many persons of a segment are those of the question',
    file: 'packages/segments/src/fold-leaves.ts',
    find: 'throw new TooManyPersonsOfCondition();',
    replace: 'throw error;',
    tests: { project: 'integration', pattern: 'services/api/src/routes/funnels/400' },
  },
];
