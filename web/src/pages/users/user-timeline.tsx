import { Link } from '@tanstack/react-router';
import { useList } from '../../api/queries.ts';
import type { TimelineItem } from '../../api/types.ts';
import { formatJson } from '../../lib/exact-json.ts';
import { formatMoney, humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { Badge } from '../../ui/badge.tsx';
import { DeliveryBadge } from '../../ui/delivery-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { SentMessage } from '../../ui/sent-message.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { explainDelivery } from '../../labels/explain.ts';
import { channelName } from '../../labels/channel-name.ts';

/** Events, profile changes and messages of a user on one timeline. */
export function UserTimeline({
  path,
  customUserId,
}: {
  readonly path: string;
  readonly customUserId: string;
}) {
  const list = useList<TimelineItem>(`${path}/timeline`);
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Card title="Timeline" description="Events, profile changes and messages, newest first.">
      {list.data === undefined &&
        (list.error === null ? (
          <Loading />
        ) : (
          <Failure error={list.error} onRetry={() => list.refetch()} />
        ))}
      {list.data !== undefined && items.length === 0 && (
        <Empty title="No activity yet" icon="users" />
      )}
      <ol className="timeline">
        {items.map((item) => (
          <li key={itemKey(item)}>
            <Entry item={item} customUserId={customUserId} />
          </li>
        ))}
      </ol>
      {list.hasNextPage && (
        <div className="row">
          <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Card>
  );
}

function itemKey(item: TimelineItem): string {
  switch (item.kind) {
    case 'event':
      return `event ${item.event.id} ${item.at}`;
    case 'message':
      return `message ${item.message.deliveryId}`;
    case 'profile':
      return `profile ${item.messageId}`;
  }
}

function Entry({
  item,
  customUserId,
}: {
  readonly item: TimelineItem;
  readonly customUserId: string;
}) {
  const at = (
    <span className="soft">
      <Time at={item.at} />
    </span>
  );
  switch (item.kind) {
    case 'event': {
      const { name, slug, type, revenue, currency, attributes } = item.event;
      return (
        <>
          <div className="row">
            <Link to="/events/$slug" params={{ slug }} className="strong wrap" dir="auto">
              {name}
            </Link>
            <Badge>{humanize(type)}</Badge>
            {at}
          </div>
          {revenue !== undefined && <div>{formatMoney(revenue, currency ?? '')}</div>}
          {attributes !== undefined && (
            <small>
              <LongText text={formatJson(attributes)} isCode />
            </small>
          )}
        </>
      );
    }
    case 'message': {
      const { campaignId, channel, reason, deliveryId } = item.message;
      return (
        <>
          <div className="row">
            <Link to="/campaigns/$campaignId" params={{ campaignId }} className="strong">
              {channelName(channel)} message
            </Link>
            <DeliveryBadge {...item.message} />
            {at}
          </div>
          {reason !== null && (
            <div className="small">
              {humanize(reason)}. <span className="soft">{explainDelivery(reason).summary}</span>
            </div>
          )}
          <SentMessage
            campaignId={campaignId}
            deliveryId={deliveryId}
            customUserId={customUserId}
            channel={channel}
          />
        </>
      );
    }
    case 'profile':
      return (
        <>
          <div className="row">
            <strong>Profile changed</strong>
            {at}
          </div>
          <div className="small wrap">{item.fields.map(isolate).join(', ')}</div>
        </>
      );
  }
}
