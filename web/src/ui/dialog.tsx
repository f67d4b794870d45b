import { useEffect, useId, useRef, type ReactNode } from 'react';
import { errorMessage } from '../api/problem.ts';
import { Button } from './button.tsx';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  readonly isClosable?: boolean;
};

/** The browser's modal dialog: it traps the focus, closes on Escape and restores the focus. */
export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
  isClosable = true,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (isClosable) onClose();
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  /** The label of the button that closes the dialog without the change. */
  readonly dismiss?: string;
  readonly isDangerous?: boolean;
  /** The change to confirm. Omit `error` if the page below shows it. */
  readonly change: { readonly error?: Error | null; readonly isPending: boolean };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks for confirmation. Default: a dangerous action. */
export function Confirm({
  title,
  children,
  action,
  dismiss = 'Cancel',
  isDangerous = true,
  change: { error, isPending },
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack tight">{children}</div>
      {error != null && (
        <p className="callout bad" role="alert">
          {errorMessage(error)}
        </p>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>{dismiss}</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isBusy={isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
