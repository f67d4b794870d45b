import { connect } from 'node:net';

/** How the server ended the connection. */
type Ending = 'closed' | 'reset';

export interface SmtpConversation extends Disposable {
  /** Sends a command and returns the last line of the reply, or how the connection ended. */
  say(command: string): Promise<string>;
}

/** A raw SMTP client that shows each reply; greeting and EHLO are done. */
export async function openSmtp(port: number): Promise<SmtpConversation> {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  let ending: Ending | undefined;
  let wake = () => {};
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
    wake();
  });
  socket.on('error', () => {
    ending = 'reset';
  });
  socket.on('close', () => {
    ending ??= 'closed';
    wake();
  });

  const reply = async (): Promise<string> => {
    for (;;) {
      const last = /^(\d{3} .*)\r\n$/m.exec(received)?.[1];
      if (last !== undefined) {
        received = '';
        return last;
      }
      if (ending !== undefined) return ending;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const say = (command: string) => {
    socket.write(`${command}\r\n`);
    return reply();
  };
  await reply();
  await say('EHLO client.example');
  return { say, [Symbol.dispose]: () => void socket.destroy() };
}

/** Sends one mail; returns the reply to its end, or to the command that was refused. */
export async function sendMail(smtp: SmtpConversation, to: string): Promise<string> {
  await smtp.say('MAIL FROM:<shop@example.com>');
  const accepted = await smtp.say(`RCPT TO:<${to}>`);
  if (!accepted.startsWith('250')) return accepted;
  const go = await smtp.say('DATA');
  return go.startsWith('354') ? smtp.say('Subject: Hello\r\n\r\nText\r\n.') : go;
}
