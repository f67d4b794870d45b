/**
 * The keys of automations and conditions, as the reference writes them: first what something is, then
 * what is asked of it. No key has two places: `exit` is a part of an automation and a step.
 */
const KEYS = `
  version id kind name reachable channel purpose trigger filter recheckFilter entry
  event where attribute field schedule segment funnel date
  delay until waitFor if split winner send try template
  message title body was all any not when existing unsubscribed as
  node cron timeZone state step offset at time days zone yearly maxAge from
  again by after key minimum exit goalWindow throttle sends per weight nodes
  timeout then else onUnreachable quietHours count within`
  .trim()
  .split(/\s+/);
const RANKS: ReadonlyMap<string, number> = new Map(KEYS.map((key, rank) => [key, rank]));
const rankOf = (key: string): number => RANKS.get(key) ?? KEYS.length;

/** Values of a message whose keys are those of another system. */
const FOREIGN: ReadonlySet<string> = new Set(['body', 'customContent', 'headers']);

/** A definition or a condition with its keys in that order, others behind: Postgres keeps no order. */
export function inWrittenOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inWrittenOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
      .map(([key, each]) => [key, FOREIGN.has(key) ? each : inWrittenOrder(each)]),
  );
}
