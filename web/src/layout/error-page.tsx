import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';

/** A page that fell over, or whose script is gone because there is a newer one. */
export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <div role="alert">
      <Empty
        title="This page could not be shown"
        icon="warning"
        action={
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        There may be a newer version of it: reload it. What went wrong:{' '}
        {error instanceof Error ? error.message : String(error)}
      </Empty>
    </div>
  );
}
