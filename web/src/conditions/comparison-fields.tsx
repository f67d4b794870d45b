import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Comparison, ConditionInstant } from '@tidings/contracts/segments/leaves/parts';
import type { Suggestions } from '../api/types.ts';
import { humanize } from '../lib/format.ts';
import { toText } from '../lib/text.ts';
import { toLocalText } from '../lib/local-time.ts';
import { ownTimeZone } from '../lib/own-time-zone.ts';
import { DateTimeField } from '../ui/date-field.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { SuggestField } from '../ui/suggest-field.tsx';
import { toOptions, type Option } from '../ui/options.ts';
import {
  operandFor,
  OPERATOR_LABELS,
  OPERATORS,
  readComparison,
  toValue,
  VALUE_TYPES,
  valueType,
  withComparison,
  type Compared,
  type Operator,
  type ValueType,
} from './comparison.ts';
import { DurationFields } from './duration-fields.tsx';

type Props = {
  readonly node: Comparison;
  readonly pointer: string;
  readonly onChange: (node: Condition) => void;
  /** The type that values have; any if it is not known. */
  readonly values: ComparedValues;
  /** Frequent texts. */
  readonly suggested: readonly Option[];
};

type ComparedValues = Suggestion['type'] | 'instant' | 'text' | 'any';
type Suggestion = Suggestions['attributes'][number];

const TEXT: readonly Operator[] = ['is', 'isNot', 'in', 'notIn', 'contains', 'startsWith'];
const EXISTS: readonly Operator[] = ['exists', 'absent'];
const OPERATORS_OF: Readonly<Record<ComparedValues, readonly Operator[]>> = {
  text: [...TEXT, ...EXISTS],
  // A date may be written as one.
  string: [...TEXT, 'before', 'after', ...EXISTS],
  number: ['is', 'isNot', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn', ...EXISTS],
  boolean: ['is', 'isNot', ...EXISTS],
  array: EXISTS,
  instant: ['before', 'after', ...EXISTS],
  any: OPERATORS,
};

/** An operator and its operand. */
export function ComparisonFields({ node, pointer, onChange, values, suggested }: Props) {
  const compared = readComparison(node);
  if (compared === null) return null;
  const { operator, operand } = compared;
  const set = (next: Compared): void => onChange(withComparison(node, next) as Condition);
  return (
    <>
      <Select
        label="Comparison"
        value={operator}
        options={toOptions(
          OPERATORS_OF[values].includes(operator) ? OPERATORS_OF[values] : OPERATORS,
          undefined,
          (each) => OPERATOR_LABELS[each],
        )}
        onChange={(next) =>
          set({ operator: next as Operator, operand: operandFor(next as Operator, operand) })
        }
      />
      <Operand
        {...compared}
        pointer={`${pointer}/${operator}`}
        onChange={set}
        values={values}
        suggested={suggested}
      />
    </>
  );
}

type OperandProps = Compared & {
  readonly values: ComparedValues;
  readonly suggested: readonly Option[];
  readonly pointer: string;
  readonly onChange: (compared: Compared) => void;
};

function Operand({ operator, operand, pointer, onChange, values, suggested }: OperandProps) {
  const set = (next: unknown): void => onChange({ operator, operand: next });
  switch (operator) {
    case 'exists':
    case 'absent':
      return null;
    case 'before':
    case 'after':
      return (
        <InstantFields pointer={pointer} instant={operand as ConditionInstant} onChange={set} />
      );
    case 'contains':
    case 'startsWith':
      return <TextField label="Text" pointer={pointer} value={toText(operand)} onChange={set} />;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return <NumberField label="Number" pointer={pointer} value={operand} onChange={set} />;
    case 'is':
    case 'isNot':
      return (
        <ValueFields
          {...{ pointer, suggested }}
          value={operand}
          isOfType={isOfType(values, operand)}
          onChange={set}
        />
      );
    case 'in':
    case 'notIn':
      return (
        <ValuesFields
          pointer={pointer}
          values={Array.isArray(operand) ? (operand as readonly unknown[]) : []}
          isOfType={isOfType(values, Array.isArray(operand) ? operand[0] : undefined)}
          onChange={set}
        />
      );
  }
}

/** A number; NaN while the field is empty. */
export function NumberField({
  label,
  pointer,
  value,
  onChange,
}: {
  readonly label: string;
  readonly pointer: string;
  readonly value: unknown;
  readonly onChange: (value: number) => void;
}) {
  return (
    <TextField
      label={label}
      pointer={pointer}
      type="number"
      step="any"
      value={typeof value === 'number' && !Number.isNaN(value) ? String(value) : ''}
      onChange={(text) => onChange(toValue('number', text) as number)}
    />
  );
}

const BOOLEANS = [
  { value: 'true', label: 'True' },
  { value: 'false', label: 'False' },
];

/** Whether a value has the type that is known. Then it is not asked for. */
const isOfType = (values: ComparedValues, value: unknown): boolean =>
  values !== 'any' &&
  (value === undefined || valueType(value) === (values === 'string' ? 'text' : values));

function ValueFields({
  pointer,
  value,
  isOfType: isTypeKnown,
  suggested,
  onChange,
}: {
  readonly pointer: string;
  readonly value: unknown;
  readonly isOfType: boolean;
  readonly suggested: readonly Option[];
  readonly onChange: (value: unknown) => void;
}) {
  const type = valueType(value);
  return (
    <>
      {!isTypeKnown && (
        <TypeField
          type={type}
          onChange={(next) => onChange(next === 'boolean' ? true : next === 'number' ? 0 : '')}
        />
      )}
      {type === 'boolean' ? (
        <Select
          label="Value"
          pointer={pointer}
          value={String(value)}
          options={BOOLEANS}
          onChange={(text) => onChange(toValue('boolean', text))}
        />
      ) : type === 'number' ? (
        <NumberField label="Value" pointer={pointer} value={value} onChange={onChange} />
      ) : (
        <SuggestField
          label="Value"
          pointer={pointer}
          value={toText(value)}
          options={suggested}
          onChange={onChange}
          placeholder="empty text"
        />
      )}
    </>
  );
}

function ValuesFields({
  pointer,
  values,
  isOfType: isTypeKnown,
  onChange,
}: {
  readonly pointer: string;
  readonly isOfType: boolean;
  readonly values: readonly unknown[];
  readonly onChange: (values: unknown) => void;
}) {
  const type = valueType(values[0]);
  const read = (next: ValueType, text: string): unknown[] =>
    text.split('\n').map((line) => toValue(next, line));
  const text = values.map((value) => (Number.isNaN(value) ? '' : String(value))).join('\n');
  return (
    <>
      {!isTypeKnown && <TypeField type={type} onChange={(next) => onChange(read(next, text))} />}
      <TextArea
        label="Values, one per line"
        pointer={pointer}
        value={text}
        rows={Math.min(6, Math.max(2, values.length))}
        onChange={(next) => onChange(next === '' ? [] : read(type, next))}
      />
    </>
  );
}

function TypeField({
  type,
  onChange,
}: {
  readonly type: ValueType;
  readonly onChange: (type: ValueType) => void;
}) {
  return (
    <Select
      label="Type"
      value={type}
      options={toOptions(VALUE_TYPES, undefined, (each) =>
        each === 'boolean' ? 'True or false' : humanize(each),
      )}
      onChange={(next) => onChange(next as ValueType)}
    />
  );
}

const MOMENTS = [
  { value: 'ago', label: 'a time ago' },
  { value: 'ahead', label: 'a time from now' },
  { value: 'at', label: 'a date' },
];

function InstantFields({
  pointer,
  instant,
  onChange,
}: {
  readonly pointer: string;
  readonly instant: ConditionInstant;
  readonly onChange: (instant: ConditionInstant) => void;
}) {
  const kind = typeof instant === 'number' ? 'at' : 'ago' in instant ? 'ago' : 'ahead';
  const duration =
    typeof instant === 'number' ? '30d' : 'ago' in instant ? instant.ago : instant.ahead;
  const of = (next: string, length: string): ConditionInstant =>
    next === 'at' ? Date.now() : next === 'ago' ? { ago: length } : { ahead: length };
  return (
    <>
      <Select
        label="Moment"
        value={kind}
        options={MOMENTS}
        onChange={(next) => onChange(of(next, duration))}
      />
      {typeof instant === 'number' ? (
        <DateTimeField
          label="Date"
          pointer={pointer}
          value={toLocalText(instant)}
          onChange={(text) => onChange(text === '' ? Number.NaN : new Date(text).getTime())}
          hint={`In your time zone, ${ownTimeZone()}`}
        />
      ) : (
        <DurationFields
          label="Time"
          pointer={pointer}
          duration={duration}
          onChange={(length) => onChange(of(kind, length))}
        />
      )}
    </>
  );
}
