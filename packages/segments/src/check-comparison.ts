import {
  COMPARISON_GROUPS,
  type Comparison,
  type ConditionField,
  type ConditionValue,
  type FieldCondition,
  type FieldError,
} from '@tidings/contracts';
import { checkDuration } from './check-duration.ts';

type Operator = (typeof COMPARISON_GROUPS)[number][number];

const OPERATORS = COMPARISON_GROUPS.flat();
const TEXT_OPERATORS: readonly Operator[] = [
  'is',
  'isNot',
  'in',
  'notIn',
  'exists',
  'contains',
  'startsWith',
];
const INSTANT_OPERATORS: readonly Operator[] = ['before', 'after'];

/** The operators that a profile field can satisfy. All fields but these are text. */
const OPERATORS_OF: { readonly [field in ConditionField]?: readonly Operator[] } = {
  birthday: [...INSTANT_OPERATORS, 'exists'],
  registeredAt: INSTANT_OPERATORS,
};
/** Fields without a stamp of their own. */
const WITHOUT_PROOF: readonly ConditionField[] = ['registeredAt', 'timeZone'];

/** Exactly one operator, or one group of bounds. */
export function checkComparison(comparison: Comparison, pointer: string): FieldError[] {
  const groups = COMPARISON_GROUPS.filter((group) =>
    group.some((operator) => comparison[operator] !== undefined),
  );
  if (groups.length !== 1)
    return [
      {
        pointer,
        code: 'exactly_one_of',
        expected: `exactly one of ${COMPARISON_GROUPS.map((group) => group.join('/')).join(', ')}`,
      },
    ];
  return (['before', 'after'] as const).flatMap((operator) => {
    const moment = comparison[operator];
    if (typeof moment !== 'object') return [];
    const [[unit, duration] = ['', '']] = Object.entries(moment);
    return checkDuration(duration, `${pointer}/${operator}/${unit}`);
  });
}

/** A comparison that no value of the field can satisfy is a fault. */
export function checkFieldComparison(node: FieldCondition, pointer: string): FieldError[] {
  const faults = checkComparison(node, pointer);
  if (faults.length > 0) return faults;
  const allowed = OPERATORS_OF[node.field] ?? TEXT_OPERATORS;
  return [
    ...OPERATORS.flatMap((operator): FieldError[] => {
      const value = node[operator];
      if (value === undefined) return [];
      if (!allowed.includes(operator))
        return [
          {
            pointer: `${pointer}/${operator}`,
            code: 'invalid_value',
            expected: `one of ${allowed.join(', ')}`,
          },
        ];
      return isTextOperand(operator, value)
        ? []
        : [{ pointer: `${pointer}/${operator}`, code: 'wrong_type', expected: 'string' }];
    }),
    ...(node.proved !== undefined && WITHOUT_PROOF.includes(node.field)
      ? [
          {
            pointer: `${pointer}/proved`,
            code: 'invalid_value',
            expected: 'a field of the profile',
          } as const,
        ]
      : []),
  ];
}

/** `is` and `in` of a field, whose values are text. */
function isTextOperand(operator: Operator, value: unknown): boolean {
  if (!['is', 'isNot', 'in', 'notIn'].includes(operator)) return true;
  return [value].flat().every((each) => typeof (each as ConditionValue) === 'string');
}
