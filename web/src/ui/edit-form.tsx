import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Form } from './field.tsx';

type EditFormProps = {
  /** The label of the submit button. */
  readonly action: string;
  /** If false, the fields are read-only and the button is hidden. */
  readonly isAllowed: boolean;
  readonly change: { readonly error: Error | null; readonly isPending: boolean };
  readonly onSubmit: () => void;
  /** What the reader must fill in first: "a name". */
  readonly missing?: readonly string[];
  /** Further actions, behind the submit button. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
};

/** A form on a page that edits existing values. */
export function EditForm({
  action,
  isAllowed,
  change,
  onSubmit,
  missing = [],
  beside,
  children,
}: EditFormProps) {
  return (
    <Form onSubmit={onSubmit} error={change.error}>
      <fieldset disabled={!isAllowed} className="stack">
        {children}
        {isAllowed && (
          <div className="row">
            <Button
              kind="primary"
              type="submit"
              isBusy={change.isPending}
              disabled={missing.length > 0}
            >
              {action}
            </Button>
            {missing.length > 0 && (
              <span className="soft small">Required: {missing.join(', ')}</span>
            )}
            {beside}
          </div>
        )}
      </fieldset>
    </Form>
  );
}
