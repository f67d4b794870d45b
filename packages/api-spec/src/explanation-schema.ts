import { DELIVERY_REASONS } from '@tidings/contracts/push/deliveries';
import { CONDITION_KEYS } from '@tidings/contracts/segments/conditions';
import { Type } from 'typebox';
import { Count, Instant, oneOf } from './schemas.ts';

const long = Type.Optional(Type.Unsafe<number | bigint>({ type: 'integer', format: 'int64' }));
const evidence = Type.Object({
  value: Type.Optional(Type.Unsafe<unknown>({ description: 'Of a field or attribute.' })),
  type: Type.Optional(oneOf(['string', 'number', 'boolean', 'date', 'object', 'array'])),
  count: Type.Optional(Count),
  sum: Type.Optional(Type.Number()),
  reached: Type.Optional(
    Type.Unsafe<number>({ ...Count, description: 'Of a funnel: how many steps they came.' }),
  ),
  state: Type.Optional(oneOf(['dropped', 'open', 'converted'])),
  followed: Type.Optional(
    Type.Unsafe<number>({
      ...Count,
      description: 'Of `neverFollowedBy`: how many of them the other event followed.',
    }),
  ),
  first: long,
  last: long,
  at: Type.Optional(Instant),
  eventIds: Type.Optional(Type.Array(Type.String())),
  reason: Type.Optional(oneOf(DELIVERY_REASONS)),
});
const node = Type.Object({
  pointer: Type.String(),
  key: oneOf(CONDITION_KEYS),
  result: Type.Boolean(),
  evidence: Type.Optional(evidence),
  isAsOfNow: Type.Optional(
    Type.Literal(true, {
      description: 'With `at`: the values of then are not stored, those of now were asked.',
    }),
  ),
  tree: Type.Optional(
    Type.Unsafe<readonly object[]>({
      type: 'array',
      items: { type: 'object' },
      description: 'Of a segment: the parts of its condition, in the same form.',
    }),
  ),
});
/** Of a question why. */
export const explained = {
  status: 200,
  description: 'Whether the user is a member, and each part of the condition, parents first.',
  schema: Type.Object({
    isMember: Type.Boolean(),
    asOf: Type.Unsafe<number>({
      type: 'integer',
      format: 'int64',
      description: 'The moment of the answer, in ms.',
    }),
    tree: Type.Array(node),
  }),
  example: {
    isMember: false,
    asOf: 1_795_256_516_534,
    tree: [
      { pointer: '', key: 'all', result: false },
      { pointer: '/all/0', key: 'field', result: true, evidence: { value: 'DE', type: 'string' } },
      { pointer: '/all/1', key: 'event', result: false, evidence: { count: 0 } },
    ],
  },
} as const;
