import {
  allNodes,
  type AutomationDefinition,
  type EventExit,
  type EventTrigger,
} from '@tidings/contracts/automations/definition';
import type { NamedEvents } from '@tidings/segments/person-events';

/** The events that a definition names, each with its place in the list. */
export type NamedOf = {
  readonly list: readonly NamedEvents[];
  /** The first one; null: no event enters people. */
  readonly trigger: number | null;
  readonly exits: readonly { readonly kind: number; readonly exit: EventExit }[];
  /** Of waits for events, by node. */
  readonly waits: ReadonlyMap<string, number>;
};

export function namedOf(
  { exit = [], nodes }: AutomationDefinition,
  trigger: EventTrigger | null,
): NamedOf {
  const list: NamedEvents[] = trigger === null ? [] : [trigger];
  const add = (named: NamedEvents): number => list.push(named) - 1;
  return {
    list,
    trigger: trigger && 0,
    exits: exit.flatMap((each) => ('event' in each ? [{ kind: add(each), exit: each }] : [])),
    waits: new Map(
      allNodes(nodes).flatMap((node) =>
        'waitFor' in node && 'event' in node.waitFor ? [[node.id, add(node.waitFor)] as const] : [],
      ),
    ),
  };
}
