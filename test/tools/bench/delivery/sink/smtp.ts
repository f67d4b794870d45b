import type { Socket } from 'node:net';

const END_OF_MAIL = '\r\n.\r\n';
const LINE_END = '\r\n';
const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-sink\r\n250 8BITMIME',
  HELO: '250 sink',
  DATA: '354 go on',
  QUIT: '221 bye',
};

/** One connection of an SMTP server that takes everything, on the bare socket: a library for servers would cost more than the client. */
export function serveSmtp(socket: Socket, onMail: () => void): void {
  let text = '';
  let isInMail = false;
  const say = (reply: string): void => void socket.write(`${reply}${LINE_END}`);

  /** One command or one mail; false when it is not there whole. */
  const takeNext = (): boolean => {
    const end = isInMail ? END_OF_MAIL : LINE_END;
    const at = text.indexOf(end);
    if (at < 0) return false;
    const command = text.slice(0, Math.min(at, 4)).toUpperCase();
    text = text.slice(at + end.length);
    if (isInMail) {
      isInMail = false;
      onMail();
      say('250 taken');
      return true;
    }
    isInMail = command === 'DATA';
    say(REPLIES[command] ?? '250 ok');
    if (command === 'QUIT') socket.end();
    return true;
  };

  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    while (takeNext());
  });
  say('220 sink');
}
