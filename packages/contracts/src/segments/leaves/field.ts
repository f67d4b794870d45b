import { PROFILE_FIELDS, type ProfileField } from '../../ingest/ingest.ts';
import type { LeafDescriptor } from './descriptor.ts';
import type { Comparison } from './parts.ts';
import { comparison, PROVED } from './schemas.ts';

/** Profile fields of a condition, besides those of a `user` message. */
export const DERIVED_FIELDS = ['registeredAt', 'timeZone'] as const;
export type ConditionField = ProfileField | (typeof DERIVED_FIELDS)[number];

type FieldCondition = Comparison & {
  readonly field: ConditionField;
  readonly proved?: boolean;
};

export const field = {
  meaning:
    "a profile field, `registeredAt` or `timeZone` satisfies the comparison. `timeZone` is the attribute of this name, else the zone of the proved device seen last, else the application's",
  schema: {
    properties: {
      field: {
        type: 'string',
        enum: [...PROFILE_FIELDS, ...DERIVED_FIELDS],
        description: 'a profile field, registeredAt or timeZone',
      },
      ...comparison,
      proved: PROVED,
    },
  },
  label: 'Profile field',
  begins: ['where', 'except where'],
  initial: { field: 'country', is: '' },
  names: null,
  words: (node, say) => `${say.term(node.field)} ${say.comparison(node)}${say.proof(node)}`,
  fields: null,
} as const satisfies LeafDescriptor<FieldCondition>;
