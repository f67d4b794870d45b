/** Who did something, of what the interface says of it: `key:` or `token:` and its name, or `member:` and the address. */
export function actorName(actor: string): string {
  const [, kind, name = ''] = /^(key|token|member):(.*)$/s.exec(actor) ?? [];
  if (kind === 'key') return `Key “${name}”`;
  if (kind === 'token') return `Token “${name}”`;
  return kind === 'member' ? name : actor;
}
