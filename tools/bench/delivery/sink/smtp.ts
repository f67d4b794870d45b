import type { Socket } from 'node:net';

const END_OF_MAIL = '\r\n.\r\n';
const LINE_END = '\r\n';
const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250 8BITMIME',
  HELO: '250 sink',
  DATA: '354 go on',
  QUIT: '221 bye',
};

/**
 * One SMTP connection that accepts everything, on a raw socket: a server library would use more CPU
 * than the client.
 */
export function serveSmtp(socket: Socket, onMail: () => void): void {
  let text = '';
  let isInMail = false;
  let replies = '';
  const say = (reply: string): void => {
    replies += `${reply}${LINE_END}`;
  };
  /** All replies to what came together leave in one write, as those of a mail server do. */
  const flush = (): void => {
    if (replies !== '' && socket.writable) socket.write(replies);
    replies = '';
  };

  /** Reads one command or mail; false if it is incomplete. */
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
    if (command === 'QUIT') {
      flush();
      socket.end();
    }
    return true;
  };

  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    while (takeNext());
    flush();
  });
  say('220 sink');
  flush();
}
