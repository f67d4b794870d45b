import type { Mutant } from './run-mutants.ts';

const AUTOMATIONS = 'packages/automations/src';
const REHEARSAL = 'packages/automation-rehearsal/src';
const INTERPRETER = `${AUTOMATIONS}/interpret.ts`;
const STEP = `${AUTOMATIONS}/to-step.ts`;

const AGREEMENT = { project: 'unit', pattern: `${REHEARSAL}/agreement` } as const;

/** Of members that are known at each moment. */
const LIVE = {
  project: 'integration',
  pattern: 'services/automation-engine/src/live-members',
} as const;
const MOVES = `${AUTOMATIONS}/segment-moves.ts`;
const byTest = (
  pattern: string,
  name: string,
  { file, find, replace }: Pick<Mutant, 'file' | 'find' | 'replace'>,
): Mutant => ({ name, file, find, replace, tests: { project: 'integration', pattern } });

const of = (name: string, file: string, [find, replace]: readonly [string, string]): Mutant => ({
  name,
  file,
  find,
  replace,
  tests: AGREEMENT,
});

/**
 * Mutants of the rules of a run. The engine and the rehearsal share them, so that the two agree on
 * what is wrong: the plain evaluator notices.
 */
export const AUTOMATIONS_MUTANTS: readonly Mutant[] = [
  of('no exit ends a run', INTERPRETER, [
    'if (answers.exit !== null) {',
    'if (answers.exit !== null && now < 0) {',
  ]),
  of('each exit is a goal', INTERPRETER, [
    "outcome: isGoal ? 'goal' : 'exited'",
    "outcome: isGoal ? 'goal' : 'goal'",
  ]),
  of('a delay begins anew when it is woken', INTERPRETER, [
    'const until = arrival.waitsUntil ?? moment.now + toMs(node.delay);',
    'const until = moment.now + toMs(node.delay);',
  ]),
  of('an event at the end of a wait is too late', INTERPRETER, [
    'if (happened !== null && happened <= until)',
    'if (happened !== null && happened < until)',
  ]),
  of('a wait that is over goes on as if it had happened', INTERPRETER, [
    "return branch(1, 'else');",
    "return branch(0, 'then');",
  ]),
  of('the filter is not asked before a message', INTERPRETER, [
    "if (!answers.passesFilter) return skipped('filter');",
    '',
  ]),
  of('a split takes another branch', INTERPRETER, [
    'if (draw * total < below) return index;',
    'if (draw * total >= below) return index;',
  ]),
  of('an exit lets the run go on', INTERPRETER, [
    "if ('exit' in node) return { lines: [line('exited')], next: null, isExit: true };",
    "if ('exit' in node) return { lines: [line('exited')], next };",
  ]),
  of('branches do not join after their node', `${AUTOMATIONS}/program.ts`, [
    'branchesOf(node).map((branch) => addList(steps, branch.nodes, next));',
    'branchesOf(node).map((branch) => addList(steps, branch.nodes, null));',
  ]),
  of('the time for a goal begins at the end', STEP, [
    'hasSent ? now : (run.lastSentAt ?? now)',
    'hasSent ? now : now',
  ]),
  of('a message that fails at once is not noticed', STEP, [
    'dueAt: waitsForOwn(program, state.node, trace) ? now : state.waitsUntil,',
    'dueAt: state.waitsUntil,',
  ]),
  of('events of anyone do not wake', STEP, [
    'isOfAnyone ? slugs.flatMap((slug) => [slug, ofAnyone(slug)]) : [...slugs]',
    'isOfAnyone ? [...slugs] : [...slugs]',
  ]),
  of('a goal after the end does not count', `${AUTOMATIONS}/count-goals.ts`, [
    'if (isReached)',
    'if (isReached && now < 0)',
  ]),
  of('who is in it enters again', `${AUTOMATIONS}/refusal.ts`, [
    "if (isRunning) return 're_entry';",
    '',
  ]),
  of('who has been in it enters again', `${AUTOMATIONS}/refusal.ts`, [
    "again === 'never') return 're_entry';",
    "again === 'always') return 're_entry';",
  ]),
  of('one may enter a moment too late', `${AUTOMATIONS}/refusal.ts`, [
    "now - lastEntered < toMs(after ?? '0m')",
    "now - lastEntered <= toMs(after ?? '0m')",
  ]),
  of('an event is too old a moment too early', `${REHEARSAL}/rehearse-person.ts`, [
    'seenAt - Number(event.time) > toMs(maxAge)',
    'seenAt - Number(event.time) >= toMs(maxAge)',
  ]),
  of('events without a proof enter', `${REHEARSAL}/rehearse-person.ts`, [
    "if (!event.isProved && from !== 'anyone') return 'not_proved';",
    '',
  ]),
  of('who registers enters by the newest event', `${REHEARSAL}/rehearse-person.ts`, [
    '.toSorted(comparePlaces)',
    '.toSorted((one, other) => comparePlaces(other, one))',
  ]),
  of('the later exit decides', `${REHEARSAL}/rehearse-run.ts`, [
    'comparePlaces(one.place, other.place))[0]',
    'comparePlaces(other.place, one.place))[0]',
  ]),
  of('an event that entered someone ends their wait', `${REHEARSAL}/person-history.ts`, [
    'comparePlaces(event, at) <= 0',
    'comparePlaces(event, at) < 0',
  ]),
  byTest('services/automation-engine/src/segment-runs', 'an event ends the run that it entered', {
    file: `${AUTOMATIONS}/ask.ts`,
    find: 'byTrigger.has(id) ? [] :',
    replace: 'byTrigger.has(`${id} `) ? [] :',
  }),
  byTest('services/automation-engine/src/segment-turns', 'a step asks all segments', {
    file: MOVES,
    find: 'new Set(segmentShares.choose(asks))',
    replace: 'new Set(asks)',
  }),
  byTest('packages/live-segments/src/live-segments', 'a move is of when it was looked at', {
    file: 'packages/live-segments/src/memberships.ts',
    find: '(isDue ? before.recheckAt : null)',
    replace: '(isDue ? null : null)',
  }),
  byTest('services/automation-engine/src/segment-runs', 'who was no member has left', {
    file: 'packages/live-segments/src/memberships.ts',
    find: '(before.since ?? -Infinity)',
    replace: '(before.since ?? moment.now)',
  }),
  byTest(`${REHEARSAL}/arrivals`, 'a rehearsal enters at its very beginning', {
    file: `${REHEARSAL}/arrivals.ts`,
    find: 'at = next(from); at',
    replace: 'at = next(from - 1); at',
  }),
  byTest(`${REHEARSAL}/segments`, 'a rehearsal asks each person once', {
    file: `${REHEARSAL}/segment-moves.ts`,
    find: 'if (recheckAt !== null) askAt(recheckAt, userId);',
    replace: '',
  }),
  {
    name: 'a recheck is a day late',
    file: 'packages/segments/src/members.ts',
    find: 'recheckAt: row.recheck }',
    replace: 'recheckAt: row.recheck === null ? null : row.recheck + 86_400_000 }',
    tests: LIVE,
  },
  {
    name: 'a recheck is a day early',
    file: 'packages/live-segments/src/sql/rechecks.sql',
    find: 'm.recheck_at <= to_timestamp($4 / 1000.0)',
    replace: "m.recheck_at <= to_timestamp($4 / 1000.0) + interval '1 day'",
    tests: LIVE,
  },
  {
    name: 'a change of a profile is ignored',
    file: MOVES,
    find: "if (change.kind === 'profile') return hears.profile;",
    replace: "if (change.kind === 'profile') return false;",
    tests: LIVE,
  },
  {
    name: 'an outcome of a message is ignored',
    file: MOVES,
    find: 'hears.campaigns.some(([id]) => id === change.campaignId)',
    replace: "hears.campaigns.some(([id]) => id === '')",
    tests: LIVE,
  },
  {
    name: 'each event asks for all segments',
    file: MOVES,
    find: 'hears.slugs.includes(change.slug)',
    replace: "change.slug !== ''",
    tests: LIVE,
  },
];
