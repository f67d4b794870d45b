/**
 * A mail as it is written after DATA (RFC 5321, 4.5.2): lines end in CRLF, the last one too, and a leading dot is doubled.
 * A lone CR or LF becomes CRLF: no server can take a part of the mail for its end.
 */
export function toWireForm(mail: Buffer): Buffer {
  const lines = mail
    .toString('latin1')
    .replaceAll(/\r\n|\r|\n/g, '\r\n')
    .replaceAll(/(^|\n)\./g, '$1..');
  return Buffer.from(lines.endsWith('\r\n') ? lines : `${lines}\r\n`, 'latin1');
}
