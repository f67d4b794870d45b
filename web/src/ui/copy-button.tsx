import { useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { showToast } from './toast.tsx';

const CONFIRMED_MS = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), CONFIRMED_MS);
    } catch {
      showToast('Your browser blocked copying. Select the text and copy it yourself.', 'bad');
    }
  };
  return (
    <Button isSmall onClick={() => void copy()} aria-label={`Copy ${label}`}>
      <Icon name="copy" />
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  );
}

/** A full ID with a copy button. */
export function CopyId({ id, label }: { readonly id: string; readonly label: string }) {
  return (
    <span className="row">
      <code className="wrap" dir="auto">
        {id}
      </code>
      <CopyButton text={id} label={label} />
    </span>
  );
}
