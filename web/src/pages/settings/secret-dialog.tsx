import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Shows a new secret once. Escape does not close the dialog. */
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
        <strong>Copy it now. It won’t be shown again.</strong>
        <p>We only store a fingerprint.</p>
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
          I’ve copied it
        </Button>
      </div>
    </Dialog>
  );
}
