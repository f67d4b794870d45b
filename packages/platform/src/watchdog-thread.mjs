// Plain JavaScript: stripping types takes memory that this thread would keep. See watchdog.ts.

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

const { turns, name, tickMs, ticksMax } = workerData;

let seen = -1;
let ticks = 0;
for (;;) {
  // Nothing wakes it before the time.
  Atomics.wait(turns, 1, 0, tickMs);
  const now = Atomics.load(turns, 0);
  ticks = now === seen ? ticks + 1 : 0;
  seen = now;
  if (ticks >= ticksMax) end();
}

function end() {
  const line = {
    level: 'fatal',
    at: Date.now(),
    service: name,
    durationMs: ticks * tickMs,
    msg: 'the event loop has not turned, the process ends',
  };
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // What reads the log may be as stuck.
  }
  process.kill(process.pid, 'SIGKILL');
}
