import { useRead } from '../../api/queries.ts';
import type { Overview } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Loaded } from '../../ui/states.tsx';

const REFRESH_MS = 15_000;

/** What arrived in the last hour: the only chart by arrival. */
export function Arrivals() {
  const overview = useRead<Overview>('overview', { everyMs: REFRESH_MS });
  return (
    <Card
      title="Incoming messages, by arrival"
      description="Messages and refused requests of each minute of the last hour, by the time they arrived. Other charts go by event time."
    >
      <Loaded read={overview}>
        {({ ingest }) => {
          // The present minute would look like a fall.
          const minutes = ingest.perMinute.slice(0, -1);
          if (minutes.every(({ messages, refused }) => messages === 0 && refused === 0))
            return <p className="soft">Nothing arrived in the last hour.</p>;
          return (
            <LazyChart
              label="Incoming messages"
              unit="a minute"
              basis="arrival"
              times={minutes.map(({ at }) => at)}
              series={[
                { name: 'Messages', values: minutes.map(({ messages }) => messages) },
                {
                  name: 'Refused requests',
                  values: minutes.map(({ refused }) => refused),
                  isBad: true,
                },
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
