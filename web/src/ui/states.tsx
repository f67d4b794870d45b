import type { ReactNode } from 'react';
import { ApiError, ConnectionError, errorMessage } from '../api/problem.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';
import { ErrorDetails } from './error-details.tsx';

/** An empty state with the next step. */
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

/** A placeholder while data loads. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="inside stack" role="status" aria-label="Loading">
      {SKELETON_WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className="skeleton" style={{ width }} />
      ))}
    </div>
  );
}

/** A load error with its reason, and the request id for the operator's logs. */
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
          ? 'Your role does not permit this, or it belongs to another application. Ask an owner or admin for access.'
          : errorMessage(error)}
      </p>
      <ErrorDetails error={error} />
      {requestId !== null && (
        <p className="small row">
          Request ID <code className="wrap">{requestId}</code>
          <CopyButton text={requestId} label="request ID" />
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
  if (status === 403) return 'You don’t have access';
  if (status !== null && status >= 500) return 'Server error';
  return 'Couldn’t load this';
}

type Read<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
};

/** The loaded data, a placeholder or the error. Earlier data stays visible if a refresh fails. */
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
