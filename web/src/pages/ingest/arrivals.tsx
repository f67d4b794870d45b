import { useRead } from '../../api/queries.ts';
import type { Overview } from '../../api/types.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Loaded } from '../../ui/states.tsx';

const REFRESH_MS = 15_000;

/** Incoming messages of the last hour: the only chart by arrival time. */
export function Arrivals() {
  const overview = useRead<Overview>('overview', { everyMs: REFRESH_MS });
  return (
    <details className="arrivals">
      <summary>Incoming events, by arrival time</summary>
      <p className="soft small">
        Messages and rejected requests per minute in the last hour. All other charts use the event
        time.
      </p>
      <Loaded read={overview}>
        {({ ingest }) => {
          // Leave out the current minute: it is incomplete and would look like a drop.
          const minutes = ingest.perMinute.slice(0, -1);
          if (minutes.every(({ messages, refused }) => messages === 0 && refused === 0))
            return <p className="soft">No events in the last hour</p>;
          return (
            <LazyChart
              label="Incoming messages"
              unit="per minute"
              basis="arrival"
              times={minutes.map(({ at }) => at)}
              series={[
                { name: 'Messages', values: minutes.map(({ messages }) => messages) },
                {
                  name: 'Rejected requests',
                  values: minutes.map(({ refused }) => refused),
                  isBad: true,
                },
              ]}
            />
          );
        }}
      </Loaded>
    </details>
  );
}
