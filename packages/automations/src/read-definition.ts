import {
  branchesOf,
  hasGoal,
  liveSegmentsOf,
  type AutomationDefinition,
  type AutomationNode,
  type SplitNode,
} from '@tidings/contracts/automations/definition';
import type { ScheduleTrigger } from '@tidings/contracts/automations/calendar';
import { AutomationSchema } from '@tidings/contracts/automations/definition-schema';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import { isTimeZone } from '@tidings/contracts/time-zones';
import type { Duration } from '@tidings/contracts/segments/leaves/parts';
import { leastGapMs, readCron } from '@tidings/platform';
import { boundsFault } from '@tidings/segments/condition-bounds';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { toMs } from '@tidings/segments/durations';
import { isLiveCondition } from '@tidings/segments/live-conditions';
import { readCondition } from '@tidings/segments/read-condition';
import { createValidator } from '@tidings/validation';
import { withoutConsequences } from '@tidings/validation/without-consequences';
import { allMessages, endsEachWay, mostSends } from '@tidings/contracts/automations/ways';
import { isReported } from '@tidings/contracts/push/campaign-result';

const validate = createValidator<AutomationDefinition>(AutomationSchema);

const DEPTH_EXPECTED = `at most ${LIMITS.automationDepthMax} nodes within each other`;
const BOUNDS = {
  bytesMax: LIMITS.automationBytesMax,
  // A branch of a split takes four levels, a condition or a message below it some twenty.
  depthMax: 4 * (LIMITS.automationDepthMax + 1) + 24,
  depthExpected: DEPTH_EXPECTED,
};
const DAY_MS = 86_400_000;
const SENDS_MAX = 50;

/** An automation that can run, or what is wrong with it. Its messages are not looked at yet. */
export type ReadDefinition =
  | {
      readonly ok: true;
      readonly definition: AutomationDefinition;
      readonly warnings: readonly Warning[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/**
 * Reads an automation from JSON. Bounds come first, then the schema, then what needs the
 * application: its definitions and segments. Faults have JSON pointers.
 */
export function readDefinition(value: unknown, context: ConditionContext): ReadDefinition {
  const tooLarge = boundsFault(value, '', BOUNDS);
  if (tooLarge !== null) return { ok: false, errors: [tooLarge] };
  const shaped = validate(value);
  if (!shaped.ok) return { ok: false, errors: withoutConsequences(shaped.errors) };
  const definition = shaped.value;
  const check: Check = { context, definition, errors: [], warnings: [], ids: new Set() };
  checkFrame(check, definition);
  checkNodes(check, definition.nodes, { pointer: '/nodes', depth: 1, before: [] });
  const { errors, warnings } = check;
  if (check.ids.size > LIMITS.automationNodesMax)
    errors.push({
      pointer: '/nodes',
      code: 'too_many',
      expected: `at most ${LIMITS.automationNodesMax} nodes`,
    });
  if (mostSends(definition.nodes) > SENDS_MAX)
    errors.push({
      pointer: '/nodes',
      code: 'too_many',
      expected: `at most ${SENDS_MAX} messages on each way`,
    });
  return errors.length > 0 ? { ok: false, errors } : { ok: true, definition, warnings };
}

type Check = {
  readonly context: ConditionContext;
  readonly definition: AutomationDefinition;
  readonly errors: FieldError[];
  readonly warnings: Warning[];
  readonly ids: Set<string>;
};

/** Everything but the nodes. */
function checkFrame(check: Check, definition: AutomationDefinition): void {
  const { trigger, filter, recheckFilter, entry, exit = [], goalWindow } = definition;
  const { errors, warnings } = check;
  if ('event' in trigger) {
    checkEvent(check, trigger, '/trigger');
    checkDuration(check, trigger.maxAge ?? undefined, '/trigger/maxAge');
    if (trigger.from === 'anyone')
      warnings.push({
        code: 'unproved_trigger',
        pointer: '/trigger/from',
        detail: 'Events of a public key start it for other people too.',
      });
  }
  if ('schedule' in trigger) checkSchedule(check, trigger);
  if ('date' in trigger) {
    checkOffset(check, trigger.offset, '/trigger/offset');
    checkDuration(check, trigger.maxAge, '/trigger/maxAge');
  }
  if (filter !== undefined) checkCondition(check, filter, '/filter');
  else if (recheckFilter !== undefined)
    errors.push({
      pointer: '/recheckFilter',
      code: 'invalid_value',
      expected: 'only with a filter',
    });
  if (entry !== undefined) {
    const { again, after, key } = entry;
    if (again === 'after' && after === undefined)
      errors.push({ pointer: '/entry/after', code: 'required', expected: 'a duration' });
    if (again !== 'after' && after !== undefined)
      errors.push({
        pointer: '/entry/after',
        code: 'invalid_value',
        expected: 'only with `again` after',
      });
    checkDuration(check, after, '/entry/after');
    if (key !== undefined && !('event' in trigger))
      errors.push({
        pointer: '/entry/key',
        code: 'invalid_value',
        expected: 'only with an event as the trigger: a run of the API has its own `key`',
      });
  }
  for (const [index, each] of exit.entries())
    if ('event' in each) checkEvent(check, each, `/exit/${index}`);
  checkLive(check, definition);
  checkDuration(check, goalWindow, '/goalWindow');
  checkThrottle(check, definition);
  if (goalWindow !== undefined && !hasGoal(definition))
    errors.push({ pointer: '/goalWindow', code: 'invalid_value', expected: 'only with a goal' });
}

function checkSchedule(check: Check, { schedule, segment }: ScheduleTrigger): void {
  const { cron, timeZone } = schedule;
  const fault = (pointer: string, expected: string): void => {
    check.errors.push({ pointer, code: 'invalid_value', expected });
  };
  const read = readCron(cron);
  if (read === null)
    fault('/trigger/schedule/cron', 'minute hour day month weekday, as in `0 9 * * 1`, that comes');
  else if (leastGapMs(read) < LIMITS.automationScheduleMinutesMin * 60_000)
    check.errors.push({
      pointer: '/trigger/schedule/cron',
      code: 'out_of_range',
      expected: `instants at least ${LIMITS.automationScheduleMinutesMin} minutes apart`,
    });
  if (timeZone !== undefined && !isTimeZone(timeZone))
    fault('/trigger/schedule/timeZone', 'the name of a time zone, as Europe/Berlin');
  checkCondition(check, { segment }, '/trigger');
}

const THROTTLE_DAYS_MAX = 30;

function checkThrottle({ errors }: Check, { throttle }: AutomationDefinition): void {
  if (throttle !== undefined && toMs(throttle.per) > THROTTLE_DAYS_MAX * DAY_MS)
    errors.push({
      pointer: '/throttle/per',
      code: 'out_of_range',
      expected: `at most ${THROTTLE_DAYS_MAX}d`,
    });
}

/** Segments whose members start, end or wake runs: each change of them is known. */
function checkLive({ context, errors }: Check, definition: AutomationDefinition): void {
  for (const { slug, pointer } of liveSegmentsOf(definition)) {
    if (!context.segments.has(slug))
      errors.push({ pointer, code: 'invalid_value', expected: 'a segment of the application' });
    else if (!isLiveCondition({ segment: slug }, context))
      errors.push({
        pointer,
        code: 'not_live',
        expected: 'a segment that asks for no reachability, time zone, or messages of any campaign',
      });
  }
  const { trigger } = definition;
  if ('when' in trigger && trigger.when === 'leaves' && trigger.existing === true)
    errors.push({
      pointer: '/trigger/existing',
      code: 'invalid_value',
      expected: 'only with `when` enters',
    });
}

type Place = {
  readonly pointer: string;
  readonly depth: number;
  /** Ids of the sends that may have come before. */
  readonly before: readonly string[];
};

/** Returns the ids of the sends in the list. */
function checkNodes(check: Check, nodes: readonly AutomationNode[], place: Place): string[] {
  if (place.depth > LIMITS.automationDepthMax && nodes.length > 0) {
    check.errors.push({ pointer: place.pointer, code: 'too_deep', expected: DEPTH_EXPECTED });
    return [];
  }
  const sends: string[] = [];
  let isReached = true;
  for (const [index, node] of nodes.entries()) {
    const pointer = `${place.pointer}/${index}`;
    if (!isReached)
      check.errors.push({
        pointer,
        code: 'invalid_value',
        expected: 'nothing: no way leads here',
      });
    if (check.ids.has(node.id))
      check.errors.push({
        pointer: `${pointer}/id`,
        code: 'invalid_value',
        expected: 'an id that no other node has',
      });
    check.ids.add(node.id);
    const before = [...place.before, ...sends];
    checkNode(check, node, { ...place, pointer, before });
    if ('send' in node) sends.push(node.id);
    for (const branch of branchesOf(node))
      sends.push(
        ...checkNodes(check, branch.nodes, {
          pointer: `${pointer}/${branch.step}`,
          depth: place.depth + 1,
          before,
        }),
      );
    if (endsEachWay(node)) isReached = false;
  }
  return sends;
}

function checkNode(check: Check, node: AutomationNode, { pointer, before }: Place): void {
  if ('delay' in node) checkDuration(check, node.delay, `${pointer}/delay`);
  if ('until' in node && 'offset' in node.until)
    checkOffset(check, node.until.offset, `${pointer}/until/offset`);
  if ('if' in node) checkCondition(check, node.if, `${pointer}/if`);
  if ('split' in node) checkWinner(check, node, `${pointer}/winner`);
  if ('waitFor' in node) {
    checkDuration(check, node.timeout, `${pointer}/timeout`);
    const { waitFor } = node;
    if ('event' in waitFor) checkEvent(check, waitFor, `${pointer}/waitFor`);
    else if ('message' in waitFor && !before.includes(waitFor.message.node))
      check.errors.push({
        pointer: `${pointer}/waitFor/message/node`,
        code: 'invalid_value',
        expected: 'the id of a send that comes before',
      });
  }
}

const WINNER_AFTER_MIN_MS = LIMITS.splitWinnerAfterMinutesMin * 60_000;
const WINNER_AFTER_MAX_MS = LIMITS.splitWinnerAfterDaysMax * DAY_MS;

/** Runs that ended are kept for at least a month: they are what is compared. */
function checkWinner(
  { errors, definition }: Check,
  { split, winner }: SplitNode,
  pointer: string,
): void {
  if (winner === undefined) return;
  const afterMs = toMs(winner.after);
  if (afterMs < WINNER_AFTER_MIN_MS || afterMs > WINNER_AFTER_MAX_MS)
    errors.push({
      pointer: `${pointer}/after`,
      code: 'out_of_range',
      expected: `from ${LIMITS.splitWinnerAfterMinutesMin}m to ${LIMITS.splitWinnerAfterDaysMax}d`,
    });
  const fault = (expected: string): void => {
    errors.push({ pointer: `${pointer}/by`, code: 'invalid_value', expected });
  };
  if (winner.by === 'goal' && !hasGoal(definition)) fault('an exit that is a goal, or `clicked`');
  if (winner.by === 'clicked' && !split.every(({ nodes }) => isClickable(nodes)))
    fault('in each branch a message by a channel that reports clicks, or `goal`');
}

const isClickable = (nodes: readonly AutomationNode[]): boolean =>
  allMessages(nodes).some(({ message: { channel } }) => isReported(channel, 'clicked'));

/** The definition and `where`, as a condition has them. */
function checkEvent(
  check: Check,
  { event, where }: { readonly event: unknown; readonly where?: unknown },
  pointer: string,
): void {
  checkCondition(check, { event, ...(where !== undefined && { where }) }, pointer);
}

function checkCondition(check: Check, condition: unknown, pointer: string): void {
  const read = readCondition(condition, check.context, pointer);
  if (read.ok) check.warnings.push(...read.warnings);
  else check.errors.push(...read.errors);
}

/** A duration, with `-` before it where it is earlier. */
const checkOffset = (check: Check, offset: string | undefined, pointer: string): void =>
  checkDuration(check, offset?.replace('-', ''), pointer);

const DELAY_MAX_MS = LIMITS.automationDelayDaysMax * DAY_MS;

function checkDuration({ errors }: Check, duration: Duration | undefined, pointer: string): void {
  if (duration !== undefined && toMs(duration) > DELAY_MAX_MS)
    errors.push({
      pointer,
      code: 'out_of_range',
      expected: `at most ${LIMITS.automationDelayDaysMax}d`,
    });
}
