import type {
  Comparison,
  ConditionInstant,
  ConditionValue,
} from '@tidings/contracts/segments/leaves/parts';

/** The operators of the builder: those of conditions, and `absent`, which is `exists: false`. */
export const OPERATORS = [
  'is',
  'isNot',
  'in',
  'notIn',
  'contains',
  'startsWith',
  'gt',
  'gte',
  'lt',
  'lte',
  'before',
  'after',
  'exists',
  'absent',
] as const;
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  is: 'is',
  isNot: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  contains: 'contains',
  startsWith: 'starts with',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  before: 'is before',
  after: 'is after',
  exists: 'has a value',
  absent: 'has no value',
};

/** An operator with its operand. */
export type Compared = { readonly operator: Operator; readonly operand: unknown };

/** Keys of a comparison within a condition. */
const KEYS: readonly string[] = OPERATORS.filter((operator) => operator !== 'absent');

/** The only comparison of a condition; null if it has several bounds, which the builder does not show. */
export function readComparison(node: Comparison): Compared | null {
  const [entry, ...others] = Object.entries(node).filter(([key]) => KEYS.includes(key));
  if (entry === undefined || others.length > 0) return null;
  const [key, operand] = entry;
  return {
    operator: key === 'exists' && operand === false ? 'absent' : (key as Operator),
    operand,
  };
}

/** Replaces the comparison of a condition. */
export function withComparison<Node extends object>(
  node: Node,
  { operator, operand }: Compared,
): Node {
  const rest = Object.fromEntries(Object.entries(node).filter(([key]) => !KEYS.includes(key)));
  const comparison =
    operator === 'absent'
      ? { exists: false }
      : { [operator]: operator === 'exists' ? true : operand };
  return { ...rest, ...comparison } as Node;
}

/** The operand after the operator changed: kept where it has a meaning there too. */
export function operandFor(operator: Operator, before: unknown): unknown {
  switch (operator) {
    case 'is':
    case 'isNot':
      return isValue(before) ? before : Array.isArray(before) ? (before[0] ?? '') : '';
    case 'in':
    case 'notIn':
      return Array.isArray(before) ? before : isValue(before) && before !== '' ? [before] : [];
    case 'contains':
    case 'startsWith':
      return typeof before === 'string' ? before : '';
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof before === 'number' ? before : 0;
    case 'before':
    case 'after':
      return typeof before === 'object' && before !== null && !Array.isArray(before)
        ? before
        : ({ ago: '30d' } satisfies ConditionInstant);
    case 'exists':
    case 'absent':
      return true;
  }
}

const isValue = (value: unknown): value is ConditionValue =>
  ['string', 'number', 'boolean'].includes(typeof value);

export const VALUE_TYPES = ['text', 'number', 'boolean'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

export function valueType(value: unknown): ValueType {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'text';
}

/** A value of the given type that is written like this text. */
export function toValue(type: ValueType, text: string): ConditionValue {
  if (type === 'number') return text.trim() === '' ? Number.NaN : Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
