import { formatCount } from '../../lib/format.ts';
import { Callout } from '../../ui/card.tsx';
import { FAILS } from '../templates/rendered-message.tsx';

/** How many recipients lack each variable of a personal message. */
export function LackedVariables({
  unrenderable = {},
}: {
  readonly unrenderable: Readonly<Record<string, number>> | undefined;
}) {
  const lacked = Object.entries(unrenderable).filter(([, count]) => count > 0);
  if (lacked.length === 0) return null;
  return (
    <Callout tone="warn">
      <p>
        <strong>Some recipients lack a value of the message.</strong> {FAILS}
      </p>
      <ul>
        {lacked.map(([name, count]) => (
          <li key={name}>
            {formatCount(count)} without <code dir="auto">{name}</code>
          </li>
        ))}
      </ul>
      <p className="soft small">
        With variants or several templates, fewer may fail: each recipient gets one of the messages.
      </p>
    </Callout>
  );
}
