import { formatJson } from '../lib/exact-json.ts';
import { CopyButton } from './copy-button.tsx';

/** Untrusted text, shown as text and never as HTML. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="code">
      <CopyButton text={text} label={label} />
      {/* Keyboard users must be able to scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  );
}

export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code text={formatJson(value)} label={label} />;
}
