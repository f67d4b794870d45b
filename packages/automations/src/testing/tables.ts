import type { Condition } from '@tidings/contracts/segments/conditions';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { readDefinition } from '../read-definition.ts';

type Definition = ConditionContext['definitions'][number];

export const eventDefinition = (slug: string, overrides: Partial<Definition> = {}): Definition => ({
  slug,
  kind: 'action',
  name: slug,
  discarded: false,
  mergedInto: null,
  ...overrides,
});

export const hour = { id: 'hour', delay: '1h' };
export const mail = (id: string) => ({
  id,
  send: { channel: 'EMAIL', message: { title: 'Hello', body: 'Text' } },
});
export const branch = (id: string, inner: readonly unknown[]): object => ({
  id,
  if: { field: 'country', is: 'DE' },
  ['then' as const]: inner,
  else: [],
});

/** What tables of faults begin with: a definition that is taken, and what its application has. */
export function tableOf<const Trigger, const Nodes extends readonly unknown[]>({
  definitions = [],
  segments = {},
  trigger,
  nodes,
}: {
  readonly definitions?: readonly Definition[];
  readonly segments?: Readonly<Record<string, Condition>>;
  readonly trigger: Trigger;
  readonly nodes: Nodes;
}) {
  const context: ConditionContext = {
    applicationId: '00000000-0000-7000-8000-000000000000',
    definitions,
    segments: new Map(Object.entries(segments)),
    funnels: new Map(),
    eventRetentionDays: null,
    deliveryRetentionDays: null,
  };
  const good = { version: 1, name: 'Cart', purpose: 'marketing', trigger, nodes };
  const said = (all: readonly { readonly pointer: string; readonly code: string }[]): string[] =>
    all.map(({ pointer, code }) => `${pointer} ${code}`);
  const read = (value: unknown) => {
    const result = readDefinition(value, context);
    return result.ok ? { warnings: said(result.warnings) } : { errors: said(result.errors) };
  };
  return {
    good,
    withNodes: (...others: readonly unknown[]) => ({ ...good, nodes: others }),
    /** `pointer code` of each fault, or of each warning where there is none. */
    read,
    /** None where it is taken. */
    faultsOf: (value: unknown): readonly string[] => read(value).errors ?? [],
  };
}
