import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { useReadAll } from '../../api/queries.ts';
import type { FunnelVersion } from '../../api/types.ts';
import type { Names } from '../../conditions/describe-condition.ts';
import { durationText } from '../../conditions/duration.ts';
import { actorName } from '../../labels/actor-name.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { stepsText } from './words.ts';

/** What a funnel was, newest first. One of them can be looked at, and saved again. */
export function VersionsDialog({
  slug,
  names,
  onUse,
  onClose,
}: {
  readonly slug: string;
  readonly names: Names;
  readonly onUse: (funnel: FunnelDefinition) => void;
  readonly onClose: () => void;
}) {
  const read = useReadAll<FunnelVersion>(`funnels/${encodeURIComponent(slug)}/versions`, {});
  return (
    <Dialog title="Versions" isWide onClose={onClose}>
      <Loaded read={read} lines={3}>
        {(versions) => (
          <ol className="versions">
            {versions.map(({ version, steps, window, name, createdAt, createdBy }) => (
              <li key={version}>
                <div className="row">
                  <h3 className="grow">
                    Version {formatCount(version)}: <bdi>{name}</bdi>
                  </h3>
                  <Button isSmall onClick={() => onUse({ steps, window })}>
                    Look at it
                  </Button>
                </div>
                <p className="wrap">
                  {stepsText(steps, names)}, within {durationText(window)}
                </p>
                <p className="soft small wrap">
                  <bdi>{actorName(createdBy)}</bdi>, <Time at={createdAt} />
                </p>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
