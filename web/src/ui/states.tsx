import type { ReactNode } from 'react';
import { ApiError, ConnectionError, errorMessage } from '../api/problem.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Nothing is there, and what to do about it. */
export function Empty({
  title,
  children,
  icon = 'empty',
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly icon?: IconName;
  readonly action?: ReactNode;
}) {
  return (
    <div className="state">
      <Icon name={icon} />
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div className="row">{action}</div>}
    </div>
  );
}

const SKELETON_WIDTHS = ['70%', '92%', '55%', '81%', '64%', '88%'];

/** The shape of what is being read. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="inside stack" role="status" aria-label="Loading">
      {SKELETON_WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className="skeleton" style={{ width }} />
      ))}
    </div>
  );
}

/** What could not be read, why, and the id by which whoever runs the service finds it in the logs. */
export function Failure({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => unknown;
}) {
  const requestId =
    error instanceof ApiError && error.problem.requestId !== '' ? error.problem.requestId : null;
  const status = error instanceof ApiError ? error.problem.status : null;
  return (
    <div className="state" role="alert">
      <Icon name="warning" />
      <h3>{failureTitle(error, status)}</h3>
      <p>
        {status === 403
          ? 'Your role does not include this, or it belongs to another application. An owner or admin can change that.'
          : errorMessage(error)}
      </p>
      {requestId !== null && (
        <p className="small row">
          Request <code className="wrap">{requestId}</code>
          <CopyButton text={requestId} label="the request id" />
        </p>
      )}
      {onRetry !== undefined && status !== 404 && status !== 403 && (
        <div className="row">
          <Button onClick={() => void onRetry()}>Try again</Button>
        </div>
      )}
    </div>
  );
}

function failureTitle(error: unknown, status: number | null): string {
  if (error instanceof ConnectionError) return 'No connection';
  if (status === 404) return 'Not found';
  if (status === 403) return 'Not for you';
  if (status !== null && status >= 500) return 'The service has trouble';
  return 'This could not be loaded';
}

type Read<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
};

/** What was read, or why it is not there yet. What was there before stays when a later look fails. */
export function Loaded<T>({
  read,
  children,
  lines,
}: {
  readonly read: Read<T>;
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}) {
  if (read.data !== undefined) return children(read.data);
  return read.error == null ? (
    <Loading {...(lines !== undefined && { lines })} />
  ) : (
    <Failure error={read.error} onRetry={read.refetch} />
  );
}
