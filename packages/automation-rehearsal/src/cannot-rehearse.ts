import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { branchesOf, type AutomationNode } from '@tidings/contracts/automations/definition';
import type { NamedEvents } from '@tidings/segments/person-events';
import { isRelative } from '@tidings/segments/stored-people';

/** What of a definition stored events cannot tell, with pointers into it. */
export function cannotRehearse({ trigger, exit = [], nodes }: AutomationDefinition): FieldError[] {
  return [
    ...('event' in trigger
      ? ofEvent(trigger, '/trigger')
      : [{ pointer: '/trigger', code: 'invalid_value' as const, expected: 'a trigger by events' }]),
    ...exit.flatMap((each, index) => ofEvent(each, `/exit/${index}`)),
    ...ofNodes(nodes, '/nodes'),
  ];
}

const ofNodes = (nodes: readonly AutomationNode[], pointer: string): FieldError[] =>
  nodes.flatMap((node, index) => {
    const at = `${pointer}/${index}`;
    return [
      ...('waitFor' in node && 'event' in node.waitFor
        ? ofEvent(node.waitFor, `${at}/waitFor`)
        : []),
      ...branchesOf(node).flatMap((branch) => ofNodes(branch.nodes, `${at}/${branch.step}`)),
    ];
  });

/** Dates of events would be compared with each instant at which someone asks. */
const ofEvent = ({ where = [] }: NamedEvents, pointer: string): FieldError[] =>
  where.flatMap((comparison, index) =>
    isRelative(comparison)
      ? [
          {
            pointer: `${pointer}/where/${index}`,
            code: 'invalid_value' as const,
            expected: 'a date that does not depend on the moment, in a rehearsal',
          },
        ]
      : [],
  );
