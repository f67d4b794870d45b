import { isolate } from '../lib/text.ts';

/** A readable actor: the API returns `key:NAME`, `token:NAME`, `member:EMAIL`, or `sign-in` for a failed sign-in. */
export function actorName(actor: string): string {
  const [, kind, name = ''] = /^(key|token|member):(.*)$/s.exec(actor) ?? [];
  if (kind === 'key') return `Key “${isolate(name)}”`;
  if (kind === 'token') return `Token “${isolate(name)}”`;
  if (actor === 'sign-in') return 'Failed sign-in';
  return kind === 'member' ? name : actor;
}
