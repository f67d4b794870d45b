import { Link } from '@tanstack/react-router';
import { clampProps } from './long-text.tsx';

/** A link to a user, or a dash if the user is unknown. */
export function UserLink({ customUserId }: { readonly customUserId?: string | undefined }) {
  if (customUserId === undefined) return '–';
  return (
    <Link to="/users/$customUserId" params={{ customUserId }} {...clampProps(customUserId)}>
      {customUserId}
    </Link>
  );
}
