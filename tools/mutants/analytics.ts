import type { Mutant } from './run-mutants.ts';

const FOLD = 'packages/folds/src/fold.ts';
const EXACT = { project: 'unit', pattern: 'packages/folds/src/fold-is-exact' } as const;
const ASKED = { project: 'integration', pattern: 'packages/analytics/src/ask-funnel' } as const;

const CHAINS = 'packages/analytics/src/person-chains.ts';
const CHAINS_TEST = {
  project: 'unit',
  pattern: 'packages/analytics/src/person-chains',
} as const;
const EXPLAINED = {
  project: 'integration',
  pattern: 'packages/analytics/src/compile/explain-person',
} as const;
const ESTIMATED = {
  project: 'integration',
  pattern: 'packages/analytics/src/compile/estimate-funnel',
} as const;
const TRENDS = {
  project: 'integration',
  pattern: 'services/api/src/routes/trends/exact',
} as const;
const RETENTION = {
  project: 'integration',
  pattern: 'services/api/src/routes/retention/exact',
} as const;
const RETURNS = 'packages/analytics/src/retention/fold-returns.ts';
const RETENTION_FOLD = 'packages/analytics/src/compile/fold-retention.ts';
const STEP_EVENTS = 'packages/folds/src/compile/read-step-events.ts';
const TREND_COUNTS = 'packages/analytics/src/compile/trend-counts.ts';
const TREND_PERSONS = 'packages/analytics/src/compile/trend-persons.ts';
const TREND_EVENTS = 'packages/analytics/src/compile/trend-events.ts';

/** Mutants of the rules of funnels, trends and retention. */
export const ANALYTICS_MUTANTS: readonly Mutant[] = [
  {
    name: 'ids that differ in some of their words are one',
    file: 'packages/folds/src/person-ids.ts',
    find: 'if (page[at] === a && page[at + 1] === b && page[at + 2] === c && page[at + 3] === d)',
    replace: 'if (page[at] === a && page[at + 1] === b)',
    tests: { project: 'unit', pattern: 'packages/folds/src/person-ids' },
  },
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
    find: 'values[at] = time;\n        if (groups !== null)',
    replace: 'if (before === 0) values[at] = time;\n        if (groups !== null)',
    tests: EXACT,
  },
  {
    name: 'events at one instant take no other step',
    file: 'packages/folds/src/events-of-steps.ts',
    find: 'if (other >= 0 && !findsEvent(other, isTried)) continue;',
    replace: 'if (other >= 0) continue;',
    tests: EXACT,
  },
  {
    name: 'events at one instant do not continue each other',
    file: FOLD,
    find: 'const end = level + eventsOfSteps(events, level, steps).length;',
    replace: 'const end = level + Math.min(1, eventsOfSteps(events, level, steps).length);',
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
    file: 'packages/folds/src/funnel-state.ts',
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
    file: STEP_EVENTS,
    find: 'before: Math.min(end, now + 1)',
    replace: 'before: end',
    tests: ASKED,
  },
  {
    name: 'entries after the range count',
    file: STEP_EVENTS,
    find: 'const entriesEnd = Math.min(to, now + 1);',
    replace: 'const entriesEnd = Math.min(to + 1, now + 1);',
    tests: ASKED,
  },
  {
    name: 'days and weeks are those of UTC',
    file: 'services/api/src/charts/chart-steps.ts',
    find: ': listDayStarts({ from, to, step, timeZone });',
    replace: ": listDayStarts({ from, to, step, timeZone: 'UTC' });",
    tests: TRENDS,
  },
  {
    name: 'weeks begin on Sundays',
    file: 'services/api/src/charts/chart-steps.ts',
    find: '(date.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS',
    replace: 'date.getUTCDay() % WEEK_DAYS',
    tests: TRENDS,
  },
  {
    name: 'the total of persons is the sum of the points',
    file: TREND_PERSONS,
    find: 'points.visit(person, (point) => {',
    replace: 'points.visit(person, (point) => {\n          counts.total += point === 0 ? 0 : 1;',
    tests: TRENDS,
  },
  {
    name: 'parts of persons have the persons of other values',
    file: 'packages/analytics/src/read-groups.ts',
    find: '(group === NO_GROUP ? none : (shown.get(group) ?? others))',
    replace: '(shown.get(group) ?? others)',
    tests: TRENDS,
  },
  {
    name: 'who was never registered is a person of a trend',
    file: TREND_PERSONS,
    find: 'hasVisitors: false',
    replace: 'hasVisitors: true',
    tests: TRENDS,
  },
  {
    name: 'a person is in the point before',
    file: TREND_PERSONS,
    find: 'if (time >= (starts[middle] as number)) low = middle;',
    replace: 'if (time > (starts[middle] as number)) low = middle;',
    tests: TRENDS,
  },
  {
    name: 'equal numbers within objects are other values',
    file: 'packages/folds/src/groups.ts',
    find: 'value.replace(ZEROS, (part)',
    replace: 'value.replace(/^-?[0-9]+[.][0-9]*0$/, (part)',
    tests: { project: 'unit', pattern: 'packages/folds/src/groups' },
  },
  {
    name: 'events of merged users are those of another person',
    file: TREND_EVENTS,
    find: "'coalesce(m.merged_into, e.user_id)'",
    replace: "'e.user_id'",
    tests: TRENDS,
  },
  {
    name: 'who was never registered counts in a trend',
    file: TREND_EVENTS,
    find: 'hasVisitors: !isOfUsers',
    replace: 'hasVisitors: true',
    tests: TRENDS,
  },
  {
    name: 'events without a user do not count',
    file: TREND_EVENTS,
    find: '`${ofUsers} union all ${ofNone}`',
    replace: 'ofUsers',
    tests: TRENDS,
  },
  {
    name: 'currencies are mixed',
    file: TREND_EVENTS,
    find: '[`e.currency = ${parts.parameters.add(series.measure.sum,',
    replace: '[`e.currency <> ${parts.parameters.add(`${series.measure.sum}-`,',
    tests: TRENDS,
  },
  {
    name: 'an event without the attribute is left out of the parts',
    file: TREND_COUNTS,
    find: 'coalesce(r.place, ${NONE})',
    replace: 'coalesce(r.place, ${OTHERS})',
    tests: TRENDS,
  },
  {
    name: 'the start is a return',
    file: RETURNS,
    find: 'if (isStart) cohorts[person & PAGE_MASK] = period;\n        return;',
    replace: 'if (!isStart) return;\n        cohorts[person & PAGE_MASK] = period;',
    tests: RETENTION,
  },
  {
    name: 'the last start makes the cohort',
    file: RETURNS,
    find: 'if (cohort < 0) {',
    replace: 'if (cohort < 0 || isStart) {',
    tests: RETENTION,
  },
  {
    name: 'or later is in that period',
    file: RETURNS,
    find: 'if (!isUnbounded) return returned.has(person, cell);',
    replace: 'if (cell >= 0) return returned.has(person, cell);',
    tests: RETENTION,
  },
  {
    name: 'returns after the last cell do not count as later',
    file: RETENTION_FOLD,
    find: 'of.isUnbounded ? now + 1 : (starts.at(-1) ?? to)',
    replace: 'starts.at(-1) ?? to',
    tests: RETENTION,
  },
  {
    name: 'starts before the range do not matter',
    file: RETENTION_FOLD,
    find: 'if (of.isFirstEver) await leaveOutEarlier();',
    replace: 'if (false) await leaveOutEarlier();',
    tests: RETENTION,
  },
  {
    name: 'starts after the range count',
    file: STEP_EVENTS,
    find: 'const entriesEnd = Math.min(to, now + 1);',
    replace: 'const entriesEnd = now + 1;',
    tests: RETENTION,
  },
  {
    name: 'periods that have not begun are 0',
    file: 'packages/analytics/src/retention/ask-retention.ts',
    find: '.hasBegun ? 0 : null',
    replace: '.hasBegun ? 0 : 0',
    tests: RETENTION,
  },
  {
    name: 'of a person, the window excludes its end',
    file: CHAINS,
    find: 'time - chain.start <= windowMs',
    replace: 'time - chain.start < windowMs',
    tests: CHAINS_TEST,
  },
  {
    name: 'of a person, the chain is that which began first',
    file: CHAINS,
    find: 'chain.start > other.start ||',
    replace: 'chain.start < other.start ||',
    tests: CHAINS_TEST,
  },
  {
    name: 'of a person, an event serves several steps',
    file: 'packages/folds/src/events-of-steps.ts',
    find: 'if (other >= 0 && !findsEvent(other, isTried)) continue;',
    replace: '',
    tests: CHAINS_TEST,
  },
  {
    name: 'an event is refused that would have been too late',
    file: CHAINS,
    find: 'if (comesTo(level, masks, time)) of.push({ event, time });',
    replace: 'of.push({ event, time });',
    tests: CHAINS_TEST,
  },
  {
    name: 'the first chain says until when the next step counts',
    file: CHAINS,
    find: 'if (isFirst || chain.start >= (latest[level] as Chain<E>).start) latest[level] = chain;',
    replace: 'if (isFirst) latest[level] = chain;',
    tests: CHAINS_TEST,
  },
  {
    name: 'what came in time is what came too late',
    file: 'packages/analytics/src/compile/explain-person.ts',
    find: "`e.time > ${parameters.add(after, 'bigint')}`",
    replace: "`e.time >= ${parameters.add(after, 'bigint')}`",
    tests: EXPLAINED,
  },
  {
    name: 'an explanation leaves out merged users',
    file: 'packages/analytics/src/compile/person-events.ts',
    find: 'where p.merged_into = u.id and',
    replace: 'where false and',
    tests: EXPLAINED,
  },
  {
    name: 'an explanation takes entries after the range',
    file: 'packages/analytics/src/compile/explain-person.ts',
    find: 'const isEntry = `e.time < ${bound(to)}`;',
    replace: 'const isEntry = `e.time <= ${bound(to)}`;',
    tests: EXPLAINED,
  },
  {
    name: 'the last comparison is named in place of the first that refuses',
    file: 'packages/analytics/src/compile/explain-person.ts',
    find: "`case ${refusals.join(' ')} else 0 end`",
    replace: "`case ${refusals.toReversed().join(' ')} else 0 end`",
    tests: EXPLAINED,
  },
  {
    name: 'an estimate counts what lies ahead',
    file: 'packages/analytics/src/compile/estimate-funnel.ts',
    find: 'Math.min(to + toMs(funnel.window), now + 1)',
    replace: 'to + toMs(funnel.window)',
    tests: ESTIMATED,
  },
  {
    name: 'an estimate of a part says that it is exact',
    file: 'packages/analytics/src/compile/estimate-funnel.ts',
    find: 'drawn.isAll && asked >= users.length',
    replace: 'drawn.isAll',
    tests: ESTIMATED,
  },
  {
    name: 'an estimate asks users who are not in the segment',
    file: 'packages/analytics/src/compile/estimate-funnel.ts',
    find: 'const asked = condition ?? EVERYONE;',
    replace: 'const asked = EVERYONE;',
    tests: ESTIMATED,
  },
  {
    name: 'a group is that of the first entry',
    file: FOLD,
    find: 'if (groups !== null) groups[groupAt + steps - 1] = of;',
    replace: '',
    tests: EXACT,
  },
  {
    name: 'of first events at one instant the greatest value counts',
    file: FOLD,
    find: 'if (other === undefined || order.isLess(group, other)) least[level] = group;',
    replace: 'if (other === undefined || order.isLess(other, group)) least[level] = group;',
    tests: EXACT,
  },
  {
    name: 'a first event of an instant serves a later step too',
    file: FOLD,
    find: 'const others = masks.toSpliced(place, 1);',
    replace: 'const others = masks;',
    tests: EXACT,
  },
  {
    name: 'numbers with zeros at their end are others',
    file: 'packages/folds/src/groups.ts',
    find: 'const equal = withoutZeros(value);',
    replace: 'const equal = value;',
    tests: { project: 'unit', pattern: 'packages/folds/src/groups' },
  },
];
