import { isolate } from '../lib/text.ts';

/** Who did something, of what the interface says of it: `key:` or `token:` and its name, `member:` and the address, or `sign-in` of a failed one. */
export function actorName(actor: string): string {
  const [, kind, name = ''] = /^(key|token|member):(.*)$/s.exec(actor) ?? [];
  if (kind === 'key') return `Key “${isolate(name)}”`;
  if (kind === 'token') return `Token “${isolate(name)}”`;
  if (actor === 'sign-in') return 'Failed sign-in';
  return kind === 'member' ? name : actor;
}
