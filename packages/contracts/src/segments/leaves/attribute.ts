import type { LeafDescriptor } from './descriptor.ts';
import type { AttributeComparison } from './parts.ts';
import { comparison, PATH, PROVED } from './schemas.ts';

type AttributeCondition = AttributeComparison & { readonly proved?: boolean };

export const attribute = {
  meaning:
    'a custom attribute satisfies the comparison. `"a.b"` is one key, `["a", "b"]` leads through an object',
  schema: { properties: { attribute: PATH, ...comparison, proved: PROVED } },
  label: 'Attribute',
  begins: ['where', 'except where'],
  initial: { attribute: '', is: '' },
  names: ['attribute'],
  words: (node, say) => `${say.path(node.attribute)} ${say.comparison(node)}${say.proof(node)}`,
  fields: null,
} as const satisfies LeafDescriptor<AttributeCondition>;
