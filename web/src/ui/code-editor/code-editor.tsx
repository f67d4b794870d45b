import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { Field, type FieldControl, type FieldProps, type Value } from '../field.tsx';
import type { CodeField, CodeLanguage } from './code-field.ts';
import { findSyntaxFault, toFault, type CodeFault } from './code-faults.ts';

type EditorProps = FieldProps &
  Value & {
    readonly language: CodeLanguage;
    readonly rows: number;
    readonly placeholder?: string | undefined;
    /** Errors of what is written, which is not in the value of the form. */
    readonly found?: readonly FieldError[];
  };

/** A field for HTML or text with Liquid, or for JSON, with its faults at their lines. */
export function CodeEditor({
  language,
  rows,
  placeholder,
  found = [],
  value,
  onChange,
  ...field
}: EditorProps) {
  const { pointer = '' } = field;
  const locate = (error: FieldError): CodeFault =>
    toFault(value, error, language === 'json' ? pointer : null);
  const syntaxFault = language === 'json' ? findSyntaxFault(value) : undefined;
  const own = syntaxFault === undefined ? found.map(locate) : [syntaxFault];
  const error = own.length === 0 ? field.error : own.map(({ text }) => text).join('\n');
  return (
    <Field {...field} error={error} describe={(each) => locate(each).text}>
      {(control, errors) => (
        <LoadedEditor
          {...{ control, language, rows, placeholder, value, onChange }}
          faults={[...own, ...errors.map(locate)]}
        />
      )}
    </Field>
  );
}

type LoadedProps = Value &
  Pick<EditorProps, 'language' | 'rows' | 'placeholder'> & {
    readonly control: FieldControl;
    readonly faults: readonly CodeFault[];
  };

/** A text area stands in the place of the editor until its code is there, and stays if it can't be loaded. */
function LoadedEditor(props: LoadedProps): ReactNode {
  const { control, language, rows, placeholder, value, onChange, faults } = props;
  const [isLoaded, setLoaded] = useState(() => customElements.get('code-field') !== undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<CodeField>(null);
  /** What was chosen in the text area, if it had the focus. */
  const chosen = useRef<readonly [from: number, to: number] | null>(null);
  useEffect(() => {
    if (isLoaded) return;
    const take = (): void => {
      const { current } = area;
      if (current !== null && current === document.activeElement)
        chosen.current = [current.selectionStart, current.selectionEnd];
      flushSync(() => setLoaded(true));
    };
    import('./code-field.ts').then(take, () => undefined);
  }, [isLoaded]);
  useLayoutEffect(() =>
    editor.current?.show({
      value,
      language,
      rows,
      faults,
      placeholder,
      onChange,
      isInvalid: control['aria-invalid'] === true,
      describedBy: control['aria-describedby'],
    }),
  );
  useLayoutEffect(() => {
    const { current } = editor;
    if (chosen.current !== null) current?.choose(...chosen.current);
    return () => current?.destroy();
  }, [isLoaded]);
  const className = `input code ${language}`;
  return isLoaded ? (
    <code-field
      ref={editor}
      id={control.id}
      className={className}
      data-invalid={control['aria-invalid']}
      data-blocking={control['data-blocking']}
    />
  ) : (
    <textarea
      {...control}
      ref={area}
      className={className}
      dir={language === 'json' ? 'ltr' : 'auto'}
      rows={rows}
      placeholder={placeholder}
      spellCheck={language === 'text'}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
