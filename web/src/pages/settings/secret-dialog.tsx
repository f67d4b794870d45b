import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** A secret that is shown this once; it does not go by a stray Escape. */
export function SecretDialog({
  title,
  secret,
  label,
  children,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly label: string;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose} isClosable={false}>
      <Callout tone="warn">
        <strong>Copy it now: it is shown this once.</strong>
        <p>Only a fingerprint of it is kept here.</p>
      </Callout>
      <div className="row">
        <code className="wrap grow" data-secret>
          {secret}
        </code>
        <CopyButton text={secret} label={label} />
      </div>
      {children}
      <div className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
