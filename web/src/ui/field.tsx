import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
} from 'react';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { readFieldErrors, errorMessage, fieldErrorMessage } from '../api/problem.ts';
import { ErrorDetails } from './error-details.tsx';
import { pointerName } from '../labels/pointer-name.ts';

/** Errors that fields with these pointers show. */
export const FieldErrors = createContext<readonly FieldError[]>([]);

/** The pointers of the fields of a form. */
const FieldPointers = createContext<{
  readonly pointers: readonly string[];
  readonly add?: (pointer: string) => () => void;
}>({ pointers: [] });

type FormProps = {
  readonly onSubmit: () => void;
  readonly error?: unknown;
  readonly className?: string;
  /** For a submit button outside of it. */
  readonly id?: string;
  readonly children: ReactNode;
};

/** The control of a field with an error. A code editor has its attributes inside. */
const INVALID = '[aria-invalid=true], [data-invalid]';

/** Focuses a control. What hides it hears of that, and shows it first. */
function focusOn(control: HTMLElement | null | undefined): void {
  control?.dispatchEvent(new Event('reveal', { bubbles: true }));
  control?.focus();
}

/** A form whose fields show the service's validation errors: each field has the JSON pointer of its value. */
export function Form({ onSubmit, error, className = 'stack', id, children }: FormProps) {
  const ref = useRef<HTMLFormElement>(null);
  const fieldErrors = readFieldErrors(error);
  const fields = useFieldPointers();
  useEffect(() => {
    if (error != null) focusOn(ref.current?.querySelector<HTMLElement>(INVALID));
  }, [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const blocking = ref.current?.querySelector<HTMLElement>('[data-blocking]');
    if (blocking) focusOn(blocking);
    else onSubmit();
  };
  return (
    <form ref={ref} id={id} className={className} onSubmit={submit} noValidate>
      <FieldPointers value={fields}>
        <FieldErrors value={fieldErrors}>{children}</FieldErrors>
        {error != null && (
          <div className="callout bad" role="alert">
            <p>{errorMessage(error)}</p>
            <FieldErrorList fieldErrors={fieldErrors} />
            <ErrorDetails error={error} />
          </div>
        )}
      </FieldPointers>
    </form>
  );
}

function useFieldPointers() {
  const [pointers, setPointers] = useState<readonly string[]>([]);
  const add = useCallback((pointer: string) => {
    setPointers((before) => [...before, pointer]);
    return () => setPointers((before) => before.toSpliced(before.indexOf(pointer), 1));
  }, []);
  return useMemo(() => ({ pointers, add }), [pointers, add]);
}

/** The errors of the field: of its value, or of a part of it that no other field of the form edits. */
function useFieldErrors(pointer: string | undefined): readonly FieldError[] {
  const errors = useContext(FieldErrors);
  const { pointers, add } = useContext(FieldPointers);
  useLayoutEffect(() => (pointer === undefined ? undefined : add?.(pointer)), [pointer, add]);
  return pointer === undefined ? [] : findFieldErrors(errors, pointer, pointers);
}

function findFieldErrors(
  errors: readonly FieldError[],
  pointer: string,
  pointers: readonly string[],
): readonly FieldError[] {
  const inner = pointers.filter((each) => each !== pointer && isWithin(each, pointer));
  return errors.filter(
    (error) =>
      isWithin(error.pointer, pointer) && !inner.some((each) => isWithin(error.pointer, each)),
  );
}

const isWithin = (pointer: string, outer: string): boolean =>
  pointer === outer || pointer.startsWith(`${outer}/`);

/** Says whether the service has an error of a value, or of a part of it. */
export function useFaultyParts(): (pointer: string) => boolean {
  const errors = useContext(FieldErrors);
  return (pointer) => errors.some((error) => isWithin(error.pointer, pointer));
}

/** The error of a part of the form that no single field edits. */
export function PartError({ pointer }: { readonly pointer: string }) {
  return useFieldErrors(pointer).map((error) => (
    <p key={fieldErrorMessage(error)} className="part-error">
      {fieldErrorMessage(error)}
    </p>
  ));
}

/** Lists the errors that no field of the form shows. */
function FieldErrorList({ fieldErrors }: { readonly fieldErrors: readonly FieldError[] }) {
  const { pointers } = useContext(FieldPointers);
  const shown = new Set(
    pointers.flatMap((pointer) => findFieldErrors(fieldErrors, pointer, pointers)),
  );
  const others = fieldErrors.filter((fieldError) => !shown.has(fieldError));
  if (others.length === 0) return null;
  return (
    <ul className="small">
      {others.map((fieldError) => (
        <li key={`${fieldError.pointer} ${fieldError.code} ${fieldError.expected ?? ''}`}>
          {pointerName(fieldError.pointer)}: {fieldErrorMessage(fieldError)}
        </li>
      ))}
    </ul>
  );
}

export type FieldProps = {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly pointer?: string | undefined;
  /** A message of the page itself; shown instead of the service's error. */
  readonly error?: string | undefined;
  /** With an `error` the form is not submitted: what is written is not in its value. */
  readonly isBlocking?: boolean | undefined;
};
export type Value = { readonly value: string; readonly onChange: (value: string) => void };
type Rest<T> = Omit<T, 'value' | 'onChange' | 'className' | 'id' | 'children'>;
type Typed = { readonly target: { readonly value: string } };

/** What a control needs, so that its label names it and its hint and its error describe it. */
export type FieldControl = {
  readonly id: string;
  readonly className: 'input';
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'data-blocking': true | undefined;
};

/** The id of the label of a control. */
export const labelIdOf = (controlId: string): string => `${controlId}-label`;

/** A label, its control, a hint and an error. `children` renders the control. */
export function Field({
  label,
  hint,
  pointer,
  error,
  isBlocking = false,
  isGroup = false,
  describe = fieldErrorMessage,
  children,
}: FieldProps & {
  /** Several controls, which have its label by its id. */
  readonly isGroup?: boolean;
  /** Says more of an error than its message. */
  readonly describe?: (error: FieldError) => string;
  readonly children: (control: FieldControl, errors: readonly FieldError[]) => ReactNode;
}) {
  const id = useId();
  // While the page's own message stands here, the form lists the service's.
  const errors = useFieldErrors(error === undefined ? pointer : undefined);
  // The errors of a form may be those of another question besides.
  const text = error ?? [...new Set(errors.map(describe))].join('\n');
  const describedBy = [hint !== undefined && `${id}-hint`, text !== '' && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field">
      {isGroup ? (
        <span className="label" id={labelIdOf(id)}>
          {label}
        </span>
      ) : (
        <label htmlFor={id} id={labelIdOf(id)}>
          {label}
        </label>
      )}
      {children(
        {
          id,
          className: 'input',
          'aria-describedby': describedBy === '' ? undefined : describedBy,
          'aria-invalid': text === '' ? undefined : true,
          'data-blocking': isBlocking && error !== undefined ? true : undefined,
        },
        errors,
      )}
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {text !== '' && (
        <span className="field-error" id={`${id}-error`}>
          {text}
        </span>
      )}
    </div>
  );
}

/** A field of text. `children` renders the control from its properties. */
function TypedField<Attributes extends object>({
  label,
  hint,
  pointer,
  error,
  isBlocking,
  value,
  onChange,
  children,
  ...rest
}: FieldProps & Value & Attributes & { readonly children: (control: object) => ReactNode }) {
  return (
    <Field {...{ label, hint, pointer, error, isBlocking }}>
      {(control) =>
        children({
          dir: 'auto',
          ...rest,
          ...control,
          value,
          onChange: (event: Typed) => onChange(event.target.value),
        })
      }
    </Field>
  );
}

export function TextField({
  ...props
}: FieldProps & Value & Rest<InputHTMLAttributes<HTMLInputElement>>) {
  return <TypedField {...props}>{(control) => <input type="text" {...control} />}</TypedField>;
}

export function TextArea({
  ...props
}: FieldProps & Value & Rest<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return <TypedField {...props}>{(control) => <textarea {...control} />}</TypedField>;
}

export function Checkbox({
  label,
  hint,
  isChecked,
  onChange,
  disabled = false,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <div className="soft small" id={`${id}-hint`}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
