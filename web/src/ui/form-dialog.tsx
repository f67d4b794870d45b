import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './field.tsx';

type FormDialogProps = {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  /** The label of the button that closes the dialog. */
  readonly dismiss?: string;
  readonly isDangerous?: boolean;
  readonly isWide?: boolean;
  /** Disables the submit button: required fields are empty. */
  readonly isIncomplete?: boolean;
  /** The change that the form submits. */
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A form in a dialog. The dialog stays open and shows the errors until the change succeeds. */
export function FormDialog({
  title,
  action,
  dismiss = 'Cancel',
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
          <Button onClick={onClose}>{dismiss}</Button>
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
