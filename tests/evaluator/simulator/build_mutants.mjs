// Builds many changed projects in one process, as starting one for each would take minutes.
// Each line of standard input is `{ root, changes: { path: text or null } }`; null removes
// the file. Each is answered by `{ status, text }`, and undone. A status of null is a crash.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { main } = await import(process.argv[2]);

function build(root) {
  const parts = [];
  try {
    const status = main(['assembleHap'], root, (text) => parts.push(text));
    return { status, text: parts.join('') };
  } catch (error) {
    return { status: null, text: String(error.stack) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { root, changes } = JSON.parse(line);
  const before = new Map();
  for (const [name, text] of Object.entries(changes)) {
    const path = join(root, name);
    before.set(path, existsSync(path) ? readFileSync(path) : null);
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
  }
  console.log(JSON.stringify(build(root)));
  for (const [path, bytes] of before) {
    if (bytes === null) rmSync(path, { force: true });
    else writeFileSync(path, bytes);
  }
}
