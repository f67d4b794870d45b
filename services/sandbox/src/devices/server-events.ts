/** A server-sent event (HTML, 9.2); `id` is null if it has none. */
export type ServerEvent = {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
};

/** Parses a stream from arbitrary chunks and returns the events completed by each chunk. */
export function createEventParser(): (piece: string) => readonly ServerEvent[] {
  let rest = '';
  let fields: (readonly [name: string, value: string])[] = [];
  const readValue = (name: string): string | null =>
    fields.findLast(([field]) => field === name)?.[1] ?? null;
  const takeEvent = (): readonly ServerEvent[] => {
    const data = fields.filter(([name]) => name === 'data').map(([, value]) => value);
    const event = {
      id: readValue('id'),
      event: readValue('event') ?? 'message',
      data: data.join('\n'),
    };
    fields = [];
    return data.length === 0 ? [] : [event];
  };
  return (piece) => {
    const text = rest + piece;
    // A carriage return at the end may be half of a line break.
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
