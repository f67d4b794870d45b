/**
 * Parses server-sent events (HTML, 9.2) from chunks of any size, and emits the data of complete
 * events.
 */
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
    // A trailing carriage return may be the first half of CRLF.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + text.slice(end);
    lines.forEach(readLine);
  };
}
