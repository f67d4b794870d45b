import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { createDkimKeys } from '@tidings/worker-email/src/testing/dkim-keys.ts';
import {
  MAIL_KINDS,
  outgoingKind,
  readAddress,
} from '@tidings/worker-email/src/testing/mail-kinds.ts';
import {
  composedMail,
  createTestChannel,
  startSmtpServer,
} from '@tidings/worker-email/src/testing/smtp.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || others.length > 0) {
  console.error('npm run mails -- FOLDER');
  process.exit(2);
}

mkdirSync(folder, { recursive: true });
const writeJson = (name: string, value: unknown) =>
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
const dkim = createDkimKeys();
writeJson('dns.json', dkim.records);

await using server = await startSmtpServer();
await using channel = createTestChannel();
for (const kind of MAIL_KINDS) {
  const delivery = outgoingKind(kind, server.port, dkim);
  const { status } = await channel.send(delivery);
  const mail = server.mails.pop();
  if (mail === undefined) throw new Error(`${kind.name} was not received: ${status}`);
  writeFileSync(join(folder, `${kind.name}.eml`), mail.bytes);
  const { subject, from, text, html = null } = composedMail(delivery);
  writeJson(`${kind.name}.json`, {
    signedBy: kind.signedBy,
    subject,
    from,
    to: readAddress(delivery.address),
    // A mail of pictures alone has no text part.
    text: isHtmlMessage(kind) && text === '' ? null : text,
    html,
  });
}
console.log(`${MAIL_KINDS.length} mails in ${folder}`);
