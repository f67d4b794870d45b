import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Form } from './field.tsx';

type EditFormProps = {
  /** What the button says that sends the form. */
  readonly action: string;
  /** Without the right to change them, the fields can only be read, and the button is left out. */
  readonly isAllowed: boolean;
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => void;
  readonly children: ReactNode;
};

/** A form of a page, for what is set already. */
export function EditForm({ action, isAllowed, change, onSubmit, children }: EditFormProps) {
  return (
    <Form onSubmit={onSubmit} error={change.error}>
      <fieldset disabled={!isAllowed} className="stack">
        {children}
        {isAllowed && (
          <div className="row">
            <Button kind="primary" type="submit" isBusy={change.isPending}>
              {action}
            </Button>
          </div>
        )}
      </fieldset>
    </Form>
  );
}
