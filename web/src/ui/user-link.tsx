import { Link } from '@tanstack/react-router';
import { clampProps } from './long-text.tsx';

/** Whom something is of, where that is known. */
export function UserLink({ customUserId }: { readonly customUserId?: string | undefined }) {
  if (customUserId === undefined) return '–';
  return (
    <Link to="/users/$customUserId" params={{ customUserId }} {...clampProps(customUserId)}>
      {customUserId}
    </Link>
  );
}
