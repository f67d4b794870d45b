/** One event of a stream of server-sent events (HTML, 9.2); `id` is null where it names none. */
export type ServerEvent = {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
};

/** Takes a stream in pieces, however they are cut, and gives the events that are whole in each. */
export function createEventParser(): (piece: string) => readonly ServerEvent[] {
  let rest = '';
  let fields: (readonly [name: string, value: string])[] = [];
  const valueOf = (name: string): string | null =>
    fields.findLast(([field]) => field === name)?.[1] ?? null;
  const takeEvent = (): readonly ServerEvent[] => {
    const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
    const event = {
      id: valueOf('id'),
      event: valueOf('event') ?? 'message',
      data: data.join('\n'),
    };
    fields = [];
    return data.length === 0 ? [] : [event];
  };
  return (piece) => {
    const text = rest + piece;
    // A carriage return at the end may be half of a line's end.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    return lines.flatMap((line) => {
      if (line === '') return takeEvent();
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
      fields.push([name, value]);
      return [];
    });
  };
}
