import { Badge } from './badge.tsx';

type CalledNumberProps = {
  readonly number?: string | undefined;
  readonly otherReading?: string | undefined;
  /** Why nothing is sent there. */
  readonly reason?: string | undefined;
};

/** The number that is called and which other one may be meant; a dash if there is nothing to say. */
export function CalledNumber({ number, otherReading, reason }: CalledNumberProps) {
  return (
    <>
      {reason !== undefined && <div>{reason}</div>}
      {number === undefined ? reason === undefined && '–' : <code className="wrap">{number}</code>}
      {otherReading !== undefined && (
        <div className="small">
          <Badge tone="warn">Ambiguous</Badge>{' '}
          <span className="soft">
            Or <code className="wrap">{otherReading}</code>? Then send it with a plus sign.
          </span>
        </div>
      )}
    </>
  );
}
