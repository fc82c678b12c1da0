// Runs the app of an unpacked HAP and answers the device, one JSON line a request.
// usage: node serve.mjs UNPACKED_HAP --data DIR
//
// The app's code runs in this process. That is no security boundary: the device starts
// the process inside a sandbox.

import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { App } from './runtime/app.mjs';
import { Session } from './runtime/session.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' } },
});
if (positionals.length !== 1 || !values.data) {
  process.stderr.write('usage: node serve.mjs UNPACKED_HAP --data DIR\n');
  process.exit(2);
}

const session = new Session(() => new App(positionals[0], values.data));
const write = (reply) =>
  new Promise((done) => {
    process.stdout.write(`${JSON.stringify(reply)}\n`, done);
  });

let turn = Promise.resolve();
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  turn = turn.then(async () => {
    if (!line.trim()) return;
    const reply = await session.answer(line);
    await write(reply);
    if (reply.crash !== null) process.exit(1);
  });
});
lines.on('close', () => {
  turn.then(() => process.exit(0));
});
