import { useContext } from 'react';
import { formatCount } from '../lib/format.ts';
import { PartCountsContext, RootPointerContext } from './builder-context.ts';

/** How many people a condition of a group has by itself: the narrow one is seen at once. */
export function PartCount({ pointer }: { readonly pointer: string }) {
  const parts = useContext(PartCountsContext);
  const root = useContext(RootPointerContext);
  const count = parts?.counts.get(pointer.slice(root.length));
  if (parts === null || count === undefined) return <span className="part-count" />;
  const text = `${parts.isExact ? '' : '≈ '}${formatCount(count)}`;
  return (
    <span className="part-count" title={`${text} people by this condition alone`}>
      <meter min={0} max={Math.max(1, parts.most)} value={count} aria-hidden="true" />
      <span className="part-number">{text}</span>
    </span>
  );
}
