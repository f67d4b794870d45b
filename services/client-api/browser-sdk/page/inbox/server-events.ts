/** Takes a stream of server-sent events (HTML, 9.2) in pieces, however they are cut, and gives the data of those that are whole. */
export function createEventParser(onData: (data: string) => void): (piece: string) => void {
  let rest = '';
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onData(data.join('\n'));
      data = [];
      return;
    }
    const match = /^data(?:: ?(.*))?$/s.exec(line);
    if (match) data.push(match[1] ?? '');
  };
  return (piece) => {
    const text = rest + piece;
    // A carriage return at the end may be half of a line's end.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    lines.forEach(readLine);
  };
}
