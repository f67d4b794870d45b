import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { RenderFaultCode } from '@tidings/contracts/push/templates';
import type { ReactNode } from 'react';
import { httpStatus, readFieldErrors } from '../../api/problem.ts';
import { explain } from '../../labels/explain.ts';
import { Callout } from '../../ui/card.tsx';
import { MessagePreview } from '../../ui/message-preview.tsx';
import { QuestionError } from '../../ui/question-error.tsx';

/** What happens to recipients whose message cannot be rendered. */
export const FAILS =
  'They get no message: their outcome is Failed, with the reason Template error. No attempt is made.';

type Answer = {
  readonly variant?: string | null;
  readonly message?: PushMessage;
  /** Of an e-mail. */
  readonly isHtml?: boolean;
  /** What happened, in a message that an automation sends: a sample. */
  readonly event?: object;
  readonly fault?: { readonly code: RenderFaultCode; readonly detail: string };
};

type RenderedProps = {
  readonly channel: Channel;
  readonly isMarketing?: boolean;
  readonly customUserId: string;
  readonly answer: Answer | undefined;
  readonly error: Error | null;
  readonly onRetry: () => unknown;
  /** Names the variant that the user gets. */
  readonly hasVariants?: boolean;
  /** Says more of what the user gets. */
  readonly children?: ReactNode;
};

/** A message as a user gets it, or why the user gets none. */
export function Rendered({
  channel,
  isMarketing = false,
  customUserId,
  answer,
  error,
  onRetry,
  hasVariants = false,
  children,
}: RenderedProps) {
  const { variant = null, message, isHtml, event, fault } = answer ?? {};
  return (
    <>
      <div role="status" className="stack tight">
        {error !== null ? (
          <NotRendered error={error} onRetry={onRetry} />
        ) : answer === undefined ? (
          <p className="soft">Rendering…</p>
        ) : (
          <>
            {children}
            {event !== undefined && (
              <p className="small">
                The event is a sample: names of its attributes stand for their values. An automation
                fills in what happened.
              </p>
            )}
            {hasVariants && <Variant customUserId={customUserId} variant={variant} />}
            {fault !== undefined && <Fault {...fault} customUserId={customUserId} />}
          </>
        )}
      </div>
      {error === null && message !== undefined && (
        <MessagePreview
          channel={channel}
          message={message}
          isMarketing={isMarketing}
          isHtml={isHtml}
        />
      )}
    </>
  );
}

function NotRendered({
  error,
  onRetry,
}: {
  readonly error: Error;
  readonly onRetry: () => unknown;
}) {
  if (readFieldErrors(error).length > 0)
    return <Callout tone="bad">The message has a fault: see the marked fields.</Callout>;
  return httpStatus(error) === 404 ? (
    <Callout tone="warn">No user with this ID is registered.</Callout>
  ) : (
    <QuestionError error={error} onRetry={onRetry} />
  );
}

function Variant({
  customUserId,
  variant,
}: {
  readonly customUserId: string;
  readonly variant: string | null;
}) {
  return (
    <p className="small wrap">
      <bdi>{customUserId}</bdi> gets{' '}
      {variant === null ? (
        'the message itself: no condition of a variant is true.'
      ) : (
        <>
          the variant <strong dir="auto">{variant}</strong>.
        </>
      )}
    </p>
  );
}

function Fault({
  code,
  detail,
  customUserId,
}: NonNullable<Answer['fault']> & { readonly customUserId: string }) {
  const { summary, remedy } = explain('renderFault', code);
  return (
    <Callout tone="bad">
      <strong>
        No message for <bdi>{customUserId}</bdi>: <span dir="auto">{detail}</span>.
      </strong>
      <p>
        {summary} {remedy}
      </p>
      <p>The same holds for recipients of a campaign. {FAILS}</p>
    </Callout>
  );
}
