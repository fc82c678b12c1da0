// An answer without an end.
const block = Buffer.alloc(1 << 20, 'x');
for (;;) need('fs').writeSync(1, block);
