import { setTimeout as delay } from 'node:timers/promises';
import { integer, text } from '../config.ts';
import { runService } from '../run-service.ts';

// Exit when the parent process is gone: a timed-out test may leave this process running.
process.stdin.once('end', () => process.exit(1)).resume();

// A process for run-service.test.ts; MODE selects how its start behaves.
await runService({
  name: 'example',
  config: {
    url: text('URL', 'Where it is.', { secret: true }),
    size: integer('SIZE', 'How many.', { default: 1, max: 9 }),
    mode: text('MODE', 'How the start behaves.', {
      default: 'runs',
      values: [
        'runs',
        'fails',
        'hangs',
        'starts slowly',
        'rejects later',
        'never drains',
        'ends itself',
        'not ready',
        'never turns',
      ],
    }),
  },
  async start({ mode }, { logger, end }) {
    logger.info({ password: 'canary' }, 'starting');
    if (mode === 'fails') throw new Error('the store is not there');
    if (mode === 'hangs') await delay(60_000);
    if (mode === 'starts slowly') await delay(300);
    if (mode === 'rejects later') void delay(1).then(() => Promise.reject(new Error('a bug')));
    if (mode === 'never turns') setTimeout(neverEnds, 100);
    if (mode === 'ends itself') void delay(1).then(end);
    return {
      isReady: () => mode !== 'not ready',
      async stopIntake() {
        logger.info('intake stopped');
        if (mode === 'never drains') await delay(60_000);
      },
      async disconnect() {
        logger.info('disconnected');
      },
    };
  },
});

function neverEnds(): never {
  for (;;);
}
