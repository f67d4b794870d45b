import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './field.tsx';

type FormDialogProps = {
  readonly title: string;
  /** What the button says that sends the form. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isWide?: boolean;
  /** What is filled in cannot be sent yet. */
  readonly isIncomplete?: boolean;
  /** The change that the form makes. */
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A form in a dialog, which stays open, with what was wrong, until its change is made. */
export function FormDialog({
  title,
  action,
  isDangerous = false,
  isWide = false,
  isIncomplete = false,
  change,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <Form onSubmit={onSubmit} error={change.error}>
        {children}
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            type="submit"
            isBusy={change.isPending}
            disabled={isIncomplete}
          >
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
