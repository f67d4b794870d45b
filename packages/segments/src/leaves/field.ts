import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { DEFAULT_TIME_ZONE, TIME_ZONE_ATTRIBUTE } from '@tidings/contracts/policies';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import type { ConditionField } from '@tidings/contracts/segments/leaves/field';
import { COMPARISON_GROUPS, type ConditionValue } from '@tidings/contracts/segments/leaves/parts';
import { checkComparison } from '../check-comparison.ts';
import { compileComparison, compileInstants, type JsonValue } from '../compile/comparisons.ts';
import { jsonPath } from '../compile/json-path.ts';
import { ifProved, valueEvidence } from '../compile/profile-values.ts';
import { join, type StatementParts } from '../compile/statement-parts.ts';
import type { Leaf } from './leaf.ts';

type FieldCondition = LeafOf<'field'>;

/** A profile field. */
export const field: Leaf<FieldCondition> = {
  compile(parts, node) {
    const value = fieldValue(parts, node);
    const isInstant = ['birthday', 'registeredAt'].includes(node.field);
    const comparison = { ...node, dates: isInstant ? 'milliseconds' : 'text' } as const;
    return {
      truth: compileComparison(parts, value, comparison),
      evidence: valueEvidence(value),
      ...(parts.hasRechecks && { rechecks: compileInstants(parts, value, comparison) }),
    };
  },
  check(node, { pointer, findings }) {
    findings.errors.push(...checkField(node, pointer));
  },
  isOfNow: true,
  // A zone may be that of a device or of the application.
  isLive: (node) => node.field !== 'timeZone',
  hears: () => ({ profile: true }),
};

const asValue = (json: string): JsonValue => ({ json, text: `(${json} #>> '{}')` });

function fieldValue(parts: StatementParts, node: FieldCondition): JsonValue {
  if (node.field === 'registeredAt')
    return asValue(`to_jsonb(floor(extract(epoch from u.registered_at) * 1000)::bigint)`);
  if (node.field === 'timeZone') return asValue(`to_jsonb(${personTimeZone(parts)})`);
  const value = jsonPath(parts, 'u.fields', node.field);
  return node.proved === true ? ifProved(parts, value, { of: 'fields', key: node.field }) : value;
}

/** SQL: the attribute, else the zone of the device that was seen last, else that of the application. */
export function personTimeZone(parts: StatementParts): string {
  const { json: attribute } = jsonPath(parts, 'u.custom_attributes', TIME_ZONE_ATTRIBUTE);
  const proof = 'w.time_zone is not null and w.user_id_at_proof = w.user_id';
  const device = join(
    parts,
    parts.shape === 'all'
      ? `select distinct on (w.proved_user_id) w.proved_user_id as user_id, w.time_zone from devices w
         where w.application_id = ${parts.application} and w.proved_user_id is not null and ${proof}
         order by w.proved_user_id, w.seen_at desc, w.device_id`
      : `select w.time_zone from devices w where w.proved_user_id = u.id and ${proof}
         order by w.seen_at desc, w.device_id limit 1`,
  );
  const own = `case when jsonb_typeof(${attribute}) = 'string' then ${attribute} #>> '{}' end`;
  const ofApplication = `(select a.settings ->> 'timeZone' from applications a where a.id = ${parts.application})`;
  return `coalesce(${own}, ${device}.time_zone, ${ofApplication}, '${DEFAULT_TIME_ZONE}')`;
}

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

/** A comparison that no value of the field can satisfy is a fault. */
function checkField(node: FieldCondition, pointer: string): FieldError[] {
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
