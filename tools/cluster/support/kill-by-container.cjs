// Runs in a pod that sees the processes of its node: ends the one that is the first of the container named.
const { readdirSync, readFileSync } = require('node:fs');

const container = process.argv.at(-1);
const isFirst = (pid) => {
  try {
    const inside = /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return inside === '1' && readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(container);
  } catch {
    return false; // It has ended meanwhile.
  }
};
const [first, ...others] = readdirSync('/proc').filter(
  (name) => /^\d+$/.test(name) && isFirst(name),
);
if (first === undefined || others.length > 0) process.exit(1);
process.kill(Number(first), 'SIGKILL');
