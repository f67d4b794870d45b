import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The bare server: reads a body, parses the JSON and responds. `GET /cpu` returns the CPU
 * microseconds of the process. Prints its port on standard output.
 */
const server = createServer((req, res) => {
  if (req.url === '/cpu') {
    const { user, system } = process.cpuUsage();
    res.end(JSON.stringify({ microseconds: user + system }));
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      readonly messages: readonly unknown[];
    };
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ received: messages.length }));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
