import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/states.tsx';

/** Shown when a page throws, or when its script no longer exists after an update. */
export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <div role="alert">
      <Empty
        title="This page could not be displayed"
        icon="warning"
        action={
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        The dashboard may have been updated. Reload the page. Details:{' '}
        {error instanceof Error ? error.message : String(error)}
      </Empty>
    </div>
  );
}
