import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { MessageDetail } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { UserLink } from '../../ui/user-link.tsx';
import { humanize } from '../../lib/format.ts';
import { IngestExplanation } from './ingest-explanation.tsx';

type MessageDialogProps = {
  readonly requestId: string;
  readonly index: string;
  /** The user filter of the log. A user message stored without its user is only found through this filter. */
  readonly customUserId: string;
  readonly onClose: () => void;
};

/** One message of a request: its outcome and its stored data. */
export function MessageDialog({ requestId, index, customUserId, onClose }: MessageDialogProps) {
  const read = useRead<MessageDetail>(`ingest/${requestId}/messages/${encodeURIComponent(index)}`, {
    query: { customUserId },
  });
  return (
    <Dialog title={`Message ${index}`} onClose={onClose} isWide>
      <Loaded read={read}>{(message) => <Detail message={message} />}</Loaded>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

/** A processed user message whose receipt does not name the user. */
const isUserUnknown = ({ type, outcome, customUserId }: MessageDetail): boolean =>
  type === 'user' && outcome === 'processed' && customUserId === undefined;

function explainMissing(message: MessageDetail): string {
  if (message.type !== 'user' || message.outcome !== 'processed')
    return 'This message is not stored.';
  return isUserUnknown(message)
    ? 'Its fields are stored in the user’s profile, but this log entry does not name the user. Filter the log by user ID and open the message from there to see them.'
    : 'None of its fields are in the profile: it set none, or newer messages replaced them.';
}

function Detail({ message }: { readonly message: MessageDetail }) {
  const { duplicateOf, stored } = message;
  const time = stored?.['time'];
  return (
    <>
      <Facts
        facts={[
          [
            'ID',
            <code className="wrap" dir="auto">
              {message.id}
            </code>,
          ],
          ['Outcome', <StatusBadge status={message.outcome} />],
          ['Type', humanize(message.type)],
          [
            'User',
            isUserUnknown(message) ? (
              <span className="soft">Not recorded</span>
            ) : (
              <UserLink customUserId={message.customUserId} />
            ),
          ],
          [
            'Event time',
            <Time at={typeof time === 'number' || typeof time === 'bigint' ? time : null} />,
          ],
          ['Arrived', <Time at={message.receivedAt} />],
        ]}
      />
      {message.reason !== undefined && <IngestExplanation entry={message} />}
      {duplicateOf !== undefined && (
        <p>
          First message with this ID:{' '}
          <Link
            to="/ingest/$requestId"
            params={{ requestId: duplicateOf.requestId }}
            search={{ message: String(duplicateOf.index) } as never}
          >
            message {duplicateOf.index} of <code className="wrap">{duplicateOf.requestId}</code>
          </Link>
        </p>
      )}
      {stored === null ? (
        <p className="soft">{explainMissing(message)}</p>
      ) : (
        <Json
          value={stored}
          label={
            message.type === 'user' ? 'Fields of this message in the profile' : 'Stored message'
          }
        />
      )}
    </>
  );
}
