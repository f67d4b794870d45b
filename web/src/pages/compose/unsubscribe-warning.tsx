import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { PushMessage } from '@tidings/contracts/push/push';
import { hasUnsubscribeLink } from '@tidings/mail-body/placeholders';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import type { Draft } from './draft.ts';

/** Whether this is a marketing e-mail without an unsubscribe link. */
export function lacksUnsubscribeLink({
  channel,
  purpose,
  message,
}: {
  readonly channel: Channel;
  readonly purpose: Draft['purpose'];
  readonly message: PushMessage;
}): boolean {
  return (
    CHANNEL_DESCRIPTORS[channel].preview === 'mail' &&
    purpose === 'marketing' &&
    message.body !== '' &&
    !hasUnsubscribeLink(message)
  );
}

/** `onInsert` is absent if the message cannot be changed here. */
export function UnsubscribeWarning({ onInsert }: { readonly onInsert?: () => void }) {
  return (
    <Callout tone="warn">
      <p className="small">
        <strong>No unsubscribe link.</strong> This marketing e-mail has no visible unsubscribe link.
        Only some mail apps offer one, through the List-Unsubscribe header.
      </p>
      {onInsert !== undefined && (
        <div>
          <Button isSmall onClick={onInsert}>
            Insert unsubscribe link
          </Button>
        </div>
      )}
    </Callout>
  );
}
