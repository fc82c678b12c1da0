const kept = [];
for (;;) kept.push(Buffer.alloc(1 << 24, 1));
