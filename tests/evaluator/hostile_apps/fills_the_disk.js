// Many files, each below the limit of one file; the first is unlinked and kept open.
const fs = need('fs');
const data = process.argv[process.argv.indexOf('--data') + 1];
const block = Buffer.alloc(1 << 20, 1);
for (let file = 0; ; file++) {
  const handle = fs.openSync(`${data}/fill-${file}`, 'w');
  for (let n = 0; n < 60; n++) fs.writeSync(handle, block);
}
