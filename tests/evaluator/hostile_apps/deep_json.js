need('fs').writeSync(1, `${'['.repeat(100000)}\n`);
