import { useBlocker } from '@tanstack/react-router';
import { Confirm } from './dialog.tsx';

type GuardProps = {
  /** Whether something is not saved yet. */
  readonly isUnsaved: boolean;
  /** Saves it. False if it could not be saved. */
  readonly save: () => Promise<boolean>;
  /** Whether the same path with other parameters keeps what is written. */
  readonly isKeptOnPath?: boolean;
};

/** Saves what is written before another page opens. Asks only if it cannot be saved, or if the window closes before. */
export function LeaveGuard({ isUnsaved, save, isKeptOnPath = false }: GuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isKeptOnPath && current.pathname === next.pathname) return false;
      return isUnsaved && !(await save());
    },
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave without saving"
      dismiss="Stay"
      change={{ isPending: false }}
      onConfirm={proceed}
      onClose={reset}
    >
      <p>Your last changes could not be saved. If you leave, they are lost.</p>
    </Confirm>
  );
}
