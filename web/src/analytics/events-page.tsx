import type { ReactNode } from 'react';
import { BuilderFactsContext } from '../conditions/builder-context.ts';
import { Page } from '../ui/page.tsx';
import { Failure } from '../ui/states.tsx';
import { ChartSkeleton } from './chart-skeleton.tsx';
import { NoEvents } from './no-events.tsx';
import { useEventFacts, type EventFacts } from './use-event-facts.ts';

const haveHappened = ({ frequent }: EventFacts): boolean => frequent !== null;

/** A page that asks about events: begins once they are read, and says what is missing before the first. */
export function EventsPage({
  title,
  back,
  ofPeople,
  about,
  isAskable = haveHappened,
  children,
}: {
  readonly title: string;
  readonly back?: ReactNode;
  /** Leaves out events that have no person. */
  readonly ofPeople: boolean;
  /** What the page shows once there are events. */
  readonly about: string;
  readonly isAskable?: (facts: EventFacts) => boolean;
  readonly children: (facts: EventFacts) => ReactNode;
}) {
  const { facts, error, retry } = useEventFacts(ofPeople);
  if (facts !== null && isAskable(facts))
    return <BuilderFactsContext value={facts}>{children(facts)}</BuilderFactsContext>;
  return (
    <Page title={title} back={back}>
      {facts !== null ? (
        <NoEvents title={ofPeople ? 'No events of people yet' : 'No events yet'}>{about}</NoEvents>
      ) : error === null ? (
        <ChartSkeleton />
      ) : (
        <Failure error={error} onRetry={retry} />
      )}
    </Page>
  );
}
