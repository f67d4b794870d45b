import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';

/** Of each population. */
export const FUNNELS: ReadonlyMap<string, FunnelDefinition> = new Map<string, FunnelDefinition>([
  [
    'buying',
    { steps: [{ event: 'viewd' }, { event: 'chkot' }, { event: 'order' }], window: '30d' },
  ],
  // Steps that one event matches, and a definition that means another.
  ['again', { steps: [{ event: 'viewd' }, { event: 'seenx' }], window: '14d' }],
  [
    'dear',
    {
      steps: [
        { event: { kind: 'action', name: 'name of login' } },
        { event: 'viewd', where: [{ attribute: 'price', gt: 1 }] },
      ],
      window: '90d',
    },
  ],
]);
